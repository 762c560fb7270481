//! How far two words are apart, for «did you mean». The only such measure, so that every suggestion forgives the same.

/// How many letters must be changed, left out, put in or swapped with their neighbour; `None` above `most`.
pub fn edit_distance<T: PartialEq>(left: &[T], right: &[T], most: usize) -> Option<usize> {
    let too_many = most + 1;
    let mut before = vec![too_many; right.len() + 1];
    let mut above: Vec<usize> = (0..=right.len()).collect();
    let mut line = before.clone();
    for (row, wanted) in left.iter().enumerate() {
        // Whatever is further from the diagonal costs too much.
        let first = row.saturating_sub(most);
        let last = (row + most + 1).min(right.len());
        line.fill(too_many);
        if row < most {
            line[0] = row + 1;
        }
        let mut best = line[0];
        for column in first..last {
            let letter = &right[column];
            let mut cost = (above[column] + usize::from(wanted != letter))
                .min(above[column + 1] + 1)
                .min(line[column] + 1);
            let swapped =
                row > 0 && column > 0 && left[row - 1] == *letter && right[column - 1] == *wanted;
            if swapped {
                cost = cost.min(before[column - 1] + 1);
            }
            best = best.min(cost);
            line[column + 1] = cost;
        }
        if best > most {
            return None;
        }
        std::mem::swap(&mut before, &mut above);
        std::mem::swap(&mut above, &mut line);
    }
    above.last().copied().filter(|cost| *cost <= most)
}

#[cfg(test)]
mod tests {
    use super::edit_distance;

    #[track_caller]
    fn check(left: &str, right: &str, most: usize, expected: Option<usize>) {
        let letters = |text: &str| text.chars().collect::<Vec<char>>();
        let found = edit_distance(&letters(left), &letters(right), most);
        assert_eq!(found, expected, "{left} {right}");
    }

    #[test]
    fn letters_are_changed_left_out_put_in_or_swapped() {
        check("plan", "plan", 2, Some(0));
        check("plan", "plam", 2, Some(1));
        check("plan", "pla", 2, Some(1));
        check("plan", "plane", 2, Some(1));
        check("plan", "paln", 2, Some(1));
        check("größe", "grösse", 2, Some(2));
        check("plan", "notes", 2, None);
        check("", "abc", 2, None);
        check("", "ab", 2, Some(2));
    }
}
