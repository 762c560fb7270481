//! Random numbers that a seed repeats (SplitMix64), and random moments that fit the speed of the machine.

use std::time::Duration;

#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.roll() % limit.max(1) as u64).unwrap()
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// True once in `times`.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }
}

/// How long to wait before a kill, so that about half of the kills come too early on any machine.
#[derive(Debug)]
pub struct Moment {
    longest: Duration,
}

impl Default for Moment {
    fn default() -> Self {
        Self {
            longest: Duration::from_millis(200),
        }
    }
}

impl Moment {
    pub fn pick(&self, dice: &mut Dice) -> Duration {
        self.longest.mul_f64(dice.below(1_000) as f64 / 1_000.0)
    }

    /// Waits less if everything was done before the kill, and more if it was not.
    pub fn learn(&mut self, was_done: bool) {
        let factor = if was_done { 0.75 } else { 1.25 };
        self.longest = self.longest.mul_f64(factor);
    }
}
