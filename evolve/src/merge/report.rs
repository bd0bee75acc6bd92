//! Contradictions between two catalogues, as lines for people.

/// All contradictions.
#[derive(Debug, Default)]
pub(super) struct Report {
    differences: Vec<Difference>,
    /// How many texts were not taken, since there is another one.
    pub(super) texts: usize,
}

#[derive(Debug)]
struct Difference {
    names: Vec<String>,
    of: String,
    text: String,
}

impl Report {
    /// Notes a contradiction.
    pub(super) fn differ(&mut self, name: &str, of: &str, text: String) {
        match self.differences.iter_mut().find(|known| known.of == of && known.text == text) {
            Some(known) if known.names.iter().any(|known| known == name) => {}
            Some(known) => known.names.push(name.to_owned()),
            None => self.differences.push(Difference { names: vec![name.to_owned()], of: of.to_owned(), text }),
        }
    }

    /// One line for each contradiction, with the places where the same names have it.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines: Vec<(&Difference, Vec<&str>)> = Vec::new();
        for difference in &self.differences {
            let is_same = |known: &Difference| {
                known.names == difference.names && known.text == difference.text && !known.of.is_empty()
            };
            match lines.iter_mut().find(|(known, _)| is_same(known)) {
                Some((_, places)) => places.push(&difference.of),
                None => lines.push((difference, vec![&difference.of])),
            }
        }
        let lines = lines.into_iter().map(|(Difference { names, of, text }, places)| {
            let of = if of.is_empty() { String::new() } else { format!(" of {}", some_of(&places)) };
            let stay = if names.len() + places.len() > 2 { "they stay" } else { "it stays" };
            let named: Vec<&str> = names.iter().map(String::as_str).collect();
            format!("{}{of}: {text}; {stay}", some_of(&named))
        });
        let texts = match self.texts {
            0 => None,
            1 => Some("1 summary or note of the description differs from that here, which stays".to_owned()),
            more => Some(format!("{more} summaries and notes of the description differ from those here, which stay")),
        };
        lines.chain(texts).collect()
    }
}

/// How many places or values are listed at most.
const SHOWN: usize = 8;

/// The first few of several.
pub(super) fn some_of(all: &[&str]) -> String {
    let rest = all.len().saturating_sub(SHOWN);
    let first = all[..all.len() - rest].join(", ");
    if rest == 0 { first } else { format!("{first} and {rest} more") }
}
