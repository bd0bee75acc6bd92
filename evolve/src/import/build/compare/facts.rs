//! What comes of a comparison: edits that fill in what was unknown, and lines about what contradicts.

use crate::edit::Step;
use crate::tree::Tree;

/// An edit that says what nobody knew.
#[derive(Debug)]
pub(in super::super) struct Fill {
    pub(in super::super) file: String,
    pub(in super::super) path: Vec<Step>,
    pub(in super::super) edit: Edit,
}

/// What is done at a place.
#[derive(Debug)]
pub(in super::super) enum Edit {
    /// A map gets a key.
    Insert(&'static str, Tree),
    /// A value makes place for another.
    Replace(Tree),
    /// A list gets items.
    Extend(Vec<Tree>),
}

/// Something of which both say something.
#[derive(Clone, Debug)]
pub(super) struct Spot {
    pub(super) file: String,
    pub(super) path: Vec<Step>,
    /// What it is, in messages.
    pub(super) name: String,
    /// What it belongs to, in messages.
    pub(super) of: String,
}

impl Spot {
    /// A part of it.
    pub(super) fn within(&self, key: &'static str) -> Self {
        Self { path: [self.path.as_slice(), &[Step::Key(key)]].concat(), ..self.clone() }
    }
}

#[derive(Debug)]
struct Difference {
    names: Vec<String>,
    of: String,
    text: String,
}

/// Everything that a comparison found.
#[derive(Debug, Default)]
pub(in super::super) struct Facts {
    pub(in super::super) fills: Vec<Fill>,
    differences: Vec<Difference>,
    /// How many texts were not taken over since there are some.
    texts: usize,
}

impl Facts {
    /// Lists something that contradicts.
    pub(super) fn differ(&mut self, name: &str, of: &str, text: String) {
        match self.differences.iter_mut().find(|known| known.of == of && known.text == text) {
            Some(known) if known.names.iter().any(|known| known == name) => {}
            Some(known) => known.names.push(name.to_owned()),
            None => self.differences.push(Difference { names: vec![name.to_owned()], of: of.to_owned(), text }),
        }
    }

    /// Gives a map one more key.
    pub(super) fn insert(&mut self, spot: &Spot, key: &'static str, value: impl Into<Tree>) {
        self.fill(spot, Edit::Insert(key, value.into()));
    }

    /// Puts a value in the place of one that says nothing.
    pub(super) fn replace(&mut self, spot: &Spot, value: impl Into<Tree>) {
        self.fill(spot, Edit::Replace(value.into()));
    }

    /// Puts items behind those of a list.
    pub(super) fn extend(&mut self, spot: &Spot, items: Vec<Tree>) {
        self.fill(spot, Edit::Extend(items));
    }

    fn fill(&mut self, spot: &Spot, edit: Edit) {
        self.fills.push(Fill { file: spot.file.clone(), path: spot.path.clone(), edit });
    }

    /// Fills in a summary that is unknown; one that somebody wrote stays, whatever others write.
    pub(super) fn summary(&mut self, spot: &Spot, known: &str, said: &str) {
        if said.is_empty() || known == said {
        } else if known == "unknown" {
            self.replace(&spot.within("summary"), said);
        } else {
            self.texts += 1;
        }
    }

    /// Counts texts that are not taken over.
    pub(super) fn untold(&mut self, texts: usize) {
        self.texts += texts;
    }

    /// The same of notes, which may not be there.
    pub(super) fn notes(&mut self, spot: &Spot, known: &str, said: Option<&str>) {
        match said {
            Some(said) if known.is_empty() => self.insert(spot, "notes", said),
            Some(said) if known != said => self.texts += 1,
            _ => {}
        }
    }

    /// A fact that the catalogue may have: `said` is what the description says of it at each place.
    ///
    /// Where others share what they have in common, only what all of them say can be filled in.
    pub(super) fn fact(
        &mut self,
        spot: &Spot,
        key: &'static str,
        known: Option<&Tree>,
        said: &[(&str, Option<Tree>)],
        why_not: Option<&str>,
    ) {
        if let Some(known) = known {
            for (of, said) in said {
                if let Some(said) = said.as_ref().filter(|said| !is_same(known, said)) {
                    let text = format!("{} in the description, {} here", shown(key, said), bare(known));
                    self.differ(&spot.name, of, text);
                }
            }
            return;
        }
        let Some((_, Some(first))) = said.first().filter(|(_, first)| said.iter().all(|(_, said)| said == first))
        else {
            return self.unfilled(spot, key, said, "which other endpoints share");
        };
        match why_not {
            None => self.insert(spot, key, first.clone()),
            Some(why) => self.unfilled(spot, key, said, why),
        }
    }

    fn unfilled(&mut self, spot: &Spot, key: &str, said: &[(&str, Option<Tree>)], why: &str) {
        for (of, said) in said {
            if let Some(said) = said {
                self.differ(&spot.name, of, format!("{} in the description, nothing here, {why}", shown(key, said)));
            }
        }
    }

    /// One line for each difference, with the places that have it for the same names.
    pub(in super::super) fn lines(&self) -> Vec<String> {
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

/// More places or values say nothing more.
const SHOWN: usize = 8;

/// The first few of several.
pub(super) fn some_of(all: &[&str]) -> String {
    let rest = all.len().saturating_sub(SHOWN);
    let first = all[..all.len() - rest].join(", ");
    if rest == 0 { first } else { format!("{first} and {rest} more") }
}

/// A fact in words: its name and what it says.
fn shown(key: &str, value: &Tree) -> String {
    format!("{key} {}", bare(value))
}

/// A value without the quotes that YAML may want.
fn bare(value: &Tree) -> String {
    match value {
        Tree::Text(text) => text.clone(),
        Tree::List(items) => items.iter().map(bare).collect::<Vec<_>>().join(", "),
        Tree::Map(entries) => {
            entries.iter().map(|(key, value)| format!("{key} {}", bare(value))).collect::<Vec<_>>().join(" and ")
        }
        other => other.inline(),
    }
}

/// Whether two values are the same, however numbers are written.
fn is_same(known: &Tree, said: &Tree) -> bool {
    let is_number = matches!(said, Tree::Number(_));
    let (known, said) = (bare(known), bare(said));
    let number = |text: &str| text.parse::<f64>().ok().map(|number| number.to_string());
    known == said || (is_number && number(&known) == number(&said))
}
