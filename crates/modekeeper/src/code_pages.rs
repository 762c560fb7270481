//! Pages of this program's own file that a start has mapped and nothing uses any longer, given back to the kernel.
//!
//! The kernel maps sixteen pages for each that is touched. A start touches code all over a large file, so that a proxy
//! which then only passes lines on would keep four times as much resident as it uses. The pages stay in the kernel's
//! cache: one that is needed again is mapped again, without being read.

use std::ops::Range;

/// Where the program's constants and code are mapped.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct CodePages(Vec<Range<usize>>);

impl CodePages {
    /// Those of this process; none where `/proc` does not tell.
    pub(crate) fn find() -> Self {
        let program = std::env::current_exe().unwrap_or_default();
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
        Self::read(&maps, &program.to_string_lossy())
    }

    /// Everything of the program up to its code. What lies behind it may have been written when the program was loaded,
    /// and would be lost.
    fn read(maps: &str, program: &str) -> Self {
        let own = |line: &str| -> Option<(Range<usize>, String)> {
            let mut words = line.splitn(6, ' ');
            let (place, rights) = (words.next()?, words.next()?);
            let file = words.nth(3)?.trim_start();
            let (start, end) = place.split_once('-')?;
            let number = |text| usize::from_str_radix(text, 16).ok();
            (file == program).then_some((number(start)?..number(end)?, rights.to_owned()))
        };
        let mut pages = Vec::new();
        for (place, rights) in maps.lines().filter_map(own) {
            match rights.as_str() {
                "r--p" => pages.push(place),
                "r-xp" => {
                    pages.push(place);
                    return Self(pages);
                }
                _ => break,
            }
        }
        Self::default()
    }

    #[expect(
        unsafe_code,
        reason = "no library says safely that a mapping is not needed now"
    )]
    pub(crate) fn give_back(&self) {
        for place in &self.0 {
            let start = std::ptr::without_provenance_mut(place.start);
            // SAFETY: these are private mappings of a file which cannot be written while it runs, and which were never
            // writable here: whatever is touched next is the same again.
            let failed = unsafe { libc::madvise(start, place.len(), libc::MADV_DONTNEED) } != 0;
            if failed {
                let error = std::io::Error::last_os_error();
                tracing::debug!(%error, "pages of the program stay mapped");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::CodePages;

    #[test]
    fn only_what_was_never_written_is_given_back() {
        let maps = "\
00200000-02c8c000 r--p 00000000 fe:00 1                            /opt/modekeeper
02c8c000-04497000 r-xp 02a8b000 fe:00 1                            /opt/modekeeper
04497000-044b2000 r--p 04295000 fe:00 1                            /opt/modekeeper
044b2000-044d1000 rw-p 042af000 fe:00 1                            /opt/modekeeper
0e268000-0e3e8000 rw-p 00000000 00:00 0                            [heap]
7f0390000000-7f03900d9000 r-xp 00000000 fe:00 2                    /lib/other
";
        let found = CodePages::read(maps, "/opt/modekeeper");
        let expected = [0x0020_0000..0x02c8_c000, 0x02c8_c000..0x0449_7000];
        assert_eq!(found.0, expected);
        assert_eq!(CodePages::read(maps, "/opt/else"), CodePages::default());
        // A file whose code does not come first is left alone.
        let turned = maps.replace("r--p 00000000", "rw-p 00000000");
        assert_eq!(
            CodePages::read(&turned, "/opt/modekeeper"),
            CodePages::default()
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_runs_on_after_it() {
        let pages = CodePages::find();
        assert!(!pages.0.is_empty());
        pages.give_back();
        assert_eq!(CodePages::find(), pages);
    }
}
