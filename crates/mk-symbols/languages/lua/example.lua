local json = require("json")

local M = {}
LIMIT = 5

--- Adds two numbers.
-- @param a first
function M.add(a, b)
  local inner = 1
  return a + b
end

function M:scale(factor)
end

M.sub = function(a, b)
  return a - b
end

M.version = "1.0"

local function helper()
end

local callback = function() end

local handlers = {
  open = function(path) end,
  name = "x",
}

return M
