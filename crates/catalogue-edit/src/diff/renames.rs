//! The renames between two catalogues, which are applied to all other names before these are compared.

use super::public_items::{Item, Kind};

/// The items that were renamed.
#[derive(Default)]
pub(super) struct Renames(Vec<Rename>);

struct Rename {
    old: String,
    new: String,
}

impl Renames {
    /// Adds the old and the new name of an item. Fields and setters of an endpoint are skipped, because no other item
    /// contains their names.
    pub(super) fn note(&mut self, old: &Item<'_>, new: &Item<'_>) {
        if old.location().is_none() {
            self.0.push(Rename { old: old.name.clone(), new: new.name.clone() });
        }
        // The names of records and marker types contain the name of the group as a module, such as `market::`.
        if old.kind == Kind::Group {
            self.0.push(Rename { old: module_of(&old.name), new: module_of(&new.name) });
        }
    }

    /// A copy of an old item in which every old name is replaced by the new name.
    pub(super) fn applied<'a>(&self, item: &Item<'a>) -> Item<'a> {
        Item {
            owner: self.applied_to(&item.owner),
            name: self.applied_to(&item.name),
            ty: self.applied_to(&item.ty),
            ..item.clone()
        }
    }

    fn applied_to(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for Rename { old, new } in &self.0 {
            text = replace_word(&text, old, new);
        }
        text
    }
}

/// The module of a group, such as `market::` for `client.market()`.
fn module_of(accessor: &str) -> String {
    accessor.replace("client.", "").replace("()", "::")
}

/// Replaces a name where it is not part of a longer name.
fn replace_word(text: &str, old: &str, new: &str) -> String {
    let mut replaced = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(old) {
        replaced += &rest[..start];
        let after = &rest[start + old.len()..];
        let is_start = !replaced.ends_with(|last: char| last.is_alphanumeric() || "_.:)".contains(last));
        let is_end = old.ends_with(':') || !after.starts_with(|next: char| next.is_alphanumeric() || next == '_');
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
