{-# LANGUAGE GADTs #-}
-- | A module.
module Data.Shop (Cart(..), add) where

import qualified Data.Map as M

-- | A cart.
data Cart a = Cart { items :: [a], count :: Int } | Empty deriving (Show)

newtype Id = Id { unId :: Int }
type Name = String
type family Elem c :: *
type instance Elem [e] = e
data family XList a
data Expr a where
  IntE :: Int -> Expr Int
  BoolE, B2 :: Bool -> Expr Bool

class Shape a where
  type Area a
  area :: a -> Double
  area _ = 0
  name', other :: a -> String

instance Shape (Cart a) where
  area c = 1
  name' _ = "x"

deriving instance Eq Id

infixl 6 |+|
(|+|) :: Int -> Int -> Int
a |+| b = a + b

-- | Adds.
add :: Int -> Int -> Int
add 0 b = b
add a b = go a
  where
    go x = x + b

pi2 = 3.14
(x1, y1) = (1, 2)
foreign import ccall "math.h sin" c_sin :: Double -> Double
pattern P :: Int -> Maybe Int
pattern P x = Just x
main :: IO ()
main = do
  let z = 1
  print z
