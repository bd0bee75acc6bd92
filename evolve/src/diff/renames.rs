//! Replaces the old names of renamed items in the texts of other items.

use super::public_items::{Item, Kind};

/// The renamed items: pairs of the old and the new name.
#[derive(Default)]
pub(super) struct Renames(Vec<(String, String)>);

impl Renames {
    /// Adds the old and the new name of an item. Fields and setters of an endpoint are skipped, because no other item
    /// contains their names.
    pub(super) fn note(&mut self, old: &Item<'_>, new: &Item<'_>) {
        if old.location().is_none() {
            self.0.push((old.name.clone(), new.name.clone()));
        }
        // The names of records and marker types contain the name of the group as a module, such as `market::`.
        if old.kind == Kind::Group {
            let [from, to] = [old, new].map(|group| group.name.replace("client.", "").replace("()", "::"));
            self.0.push((from, to));
        }
    }

    /// Returns a copy of an old item in which every old name is replaced by the new name.
    pub(super) fn applied<'a>(&self, item: &Item<'a>) -> Item<'a> {
        let replaced =
            |text: &String| self.0.iter().fold(text.clone(), |text, (old, new)| replace_word(&text, old, new));
        let [owner, name, ty] = [&item.owner, &item.name, &item.ty].map(replaced);
        Item { owner, name, ty, ..item.clone() }
    }
}

/// Replaces a name where it is not part of a longer name.
fn replace_word(text: &str, old: &str, new: &str) -> String {
    let (mut replaced, mut rest) = (String::new(), text);
    while let Some(start) = rest.find(old) {
        let (before, after) = (&rest[..start], &rest[start + old.len()..]);
        // If `before` is empty, the character before the match is the last character of `replaced`.
        let is_start = !(replaced.clone() + before).ends_with(|c: char| c.is_alphanumeric() || "_.:)".contains(c));
        let is_end = old.ends_with(':') || !after.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        replaced += before;
        replaced += if is_start && is_end { new } else { old };
        rest = after;
    }
    replaced + rest
}

#[cfg(test)]
mod tests {
    use super::replace_word;

    #[test]
    fn only_the_complete_name_is_replaced() {
        for (text, expected) in [
            ("`Option<Side>`", "`Option<Taker>`"),
            ("Side::Buy", "Taker::Buy"),
            ("(Side, Side) -> market::Side", "(Taker, Taker) -> market::Side"),
            ("Sides", "Sides"),
            ("BookSide", "BookSide"),
        ] {
            assert_eq!(replace_word(text, "Side", "Taker"), expected);
        }
        assert_eq!(replace_word("Series<rates::Fee>", "rates::", "costs::"), "Series<costs::Fee>");
        assert_eq!(replace_word("client.a().coin()", ".coin()", ".symbol()"), "client.a().coin()");
    }
}
