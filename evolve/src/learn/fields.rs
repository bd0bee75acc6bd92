//! The fields of one record: those of the responses and those of the catalogue.

use codegen::is_line;
use codegen::model::TimeFormat;
use codegen::names::{self, Case, Scope};
use codegen::spec::Evidence;

use super::Learning;
use super::rows::{is_positional, named_as};
use crate::change::{Editor, Refusal};
use crate::naming::NamesInUse;
use crate::place::Place;
use crate::seen::Seen;
use crate::tree::Tree;

/// The endpoint of a lesson.
pub(super) struct Topic<'a> {
    /// The group's file.
    pub(super) file: String,
    /// The name of the endpoint in messages.
    pub(super) endpoint: String,
    pub(super) learning: &'a Learning,
}

/// A list of fields, and the facts about it as a whole.
pub(super) struct FieldList {
    pub(super) at: Place,
    /// The evidence that its fields inherit.
    pub(super) evidence: String,
    /// The envelope's time field, if the list does not repeat it.
    pub(super) time: Option<String>,
    /// Listed fields whose types must stay, and the remedy if they cannot.
    pub(super) fixed: Vec<(String, &'static str)>,
    /// The text before the name of a field in messages.
    pub(super) within: String,
    /// Whether several bodies share this list, so that a field of one need not be in all.
    pub(super) is_shared: bool,
}

impl FieldList {
    pub(super) fn new(at: Place, evidence: &str) -> Self {
        Self {
            at,
            evidence: evidence.to_owned(),
            time: None,
            fixed: Vec::new(),
            within: String::new(),
            is_shared: false,
        }
    }
}

/// Fewer values than these may be whole by chance.
const FEW: usize = 10;

impl Topic<'_> {
    /// Notes something about the endpoint.
    pub(super) fn note(&self, editor: &mut Editor, text: impl std::fmt::Display) {
        editor.note(format!("{}: {text}", self.endpoint));
    }

    /// The path of an endpoint of the group.
    pub(super) fn place(&self, endpoint: usize) -> Place {
        Place::file(&self.file).key("endpoints").item(endpoint)
    }

    /// The same topic for fields in another file, where their records are written too.
    pub(super) fn within_file(&self, file: &str) -> Self {
        Self { file: file.to_owned(), endpoint: self.endpoint.clone(), learning: self.learning }
    }

    /// The entries for fields that were not known.
    pub(super) fn list(&self, editor: &mut Editor, seen: &Seen, time: Option<&str>) -> Result<Vec<Tree>, Refusal> {
        let mut taken = NamesInUse::default();
        if let Some(time) = time {
            taken.note(snake(time));
        }
        self.new_fields(editor, seen, &mut taken, |name| Some(name) != time)
    }

    /// Compares listed fields with the fields of the responses.
    pub(super) fn merge(&self, editor: &mut Editor, list: &FieldList, seen: &Seen) -> Result<(), Refusal> {
        let listed = editor.entries(&list.at).to_vec();
        let (mut taken, mut former) = (NamesInUse::default(), Vec::new());
        if let Some(time) = &list.time {
            taken.note(snake(time));
        }
        for (index, field) in listed.iter().enumerate() {
            let name = field.text("name").unwrap_or_default();
            let at = list.at.item(index);
            let met = seen.fields.get(name);
            if is_former(field, &list.evidence) && seen.objects > 0 {
                if met.is_none() {
                    former.push((name, at));
                    continue;
                }
                editor.set(&at, "evidence", self.learning.evidence.as_str());
            }
            taken.note(field.text("rust_name").map_or_else(|| snake(name), str::to_owned));
            let is_absent = met.is_none_or(|met| met.times < seen.objects || met.nulls > 0);
            if let Some(met) = met {
                self.compare(editor, list, &at, field, met)?;
            }
            if is_absent && seen.objects > 0 && field.get("optional") != Some(&true.into()) {
                editor.set(&at, "optional", true);
                self.note(editor, format!("`{}{name}` can be absent or null", list.within));
            }
        }
        let is_new = |name: &str| {
            list.time.as_deref() != Some(name) && !listed.iter().any(|field| field.text("name") == Some(name))
        };
        let mut new = self.within_file(&list.at.file).new_fields(editor, seen, &mut taken, is_new)?;
        for field in &mut new {
            let shown = ["name", "type"].map(|key| field.text(key).unwrap_or_default());
            self.note(editor, format!("`{}{}` is new ({})", list.within, shown[0], shown[1]));
            if list.is_shared && field.get("optional").is_none() {
                *field = field.clone().with("optional", true);
            }
            if list.evidence != self.learning.evidence {
                *field = field.clone().with("evidence", self.learning.evidence.as_str());
            }
        }
        self.replace_former(editor, list, &former, &mut new);
        editor.extend(&list.at, new);
        Ok(())
    }

    /// The evidence of what is learned, if it is weaker than that of its surroundings.
    pub(super) fn weaker_evidence(&self, known: &str) -> Option<&str> {
        let own = self.learning.evidence.as_str();
        (Evidence::of(known) < Evidence::of(own)).then_some(own)
    }

    /// New fields replace fields of the previous version that the responses do not have.
    fn replace_former(&self, editor: &mut Editor, list: &FieldList, former: &[(&str, Place)], new: &mut Vec<Tree>) {
        let mut places = former.iter();
        if !list.is_shared {
            let replaced = new.len().min(former.len());
            for (field, (name, at)) in new.drain(..replaced).zip(places.by_ref()) {
                self.note(
                    editor,
                    format!("`{}{name}` of the previous version was absent; a new field replaces it", list.within),
                );
                editor.replace(at, field);
            }
        }
        for (name, _) in places {
            self.note(
                editor,
                format!("`{}{name}` of the previous version was absent; delete it if it no longer exists", list.within),
            );
        }
    }

    /// Merges with a named record.
    pub(super) fn merge_record(&self, editor: &mut Editor, name: &str, seen: &Seen) -> Result<(), Refusal> {
        let Some(at) = editor.record(&self.file, name) else { return Ok(()) };
        let record = at.tree(editor).clone();
        let list = FieldList::new(at.key("fields"), record.text("evidence").unwrap_or_default());
        let (fixed, within) = (Self::times_of_record(editor, name), format!("{name}."));
        let list = FieldList { fixed, within, is_shared: true, ..list };
        if seen.lists > 0 && is_positional(&record) {
            return self.merge(editor, &list, &named_as(record.entries("fields"), seen));
        }
        self.merge(editor, &list, seen)
    }

    fn new_fields(
        &self,
        editor: &mut Editor,
        seen: &Seen,
        taken: &mut NamesInUse,
        is_new: impl Fn(&str) -> bool,
    ) -> Result<Vec<Tree>, Refusal> {
        let (mut fields, mut whole) = (Vec::new(), Vec::new());
        for (name, met) in seen.fields.0.iter().filter(|(name, _)| is_new(name)) {
            if !is_line(name) {
                self.note(editor, format!("a field without a name that can be written down is left out: {name:?}"));
                continue;
            }
            let ident = taken.ident(name, Case::Snake, Scope::Fields);
            let (ty, unit) = self.new_type(editor, name, met)?;
            if ty == "integer" && met.text_times == 0 && met.values() < FEW {
                whole.push(format!("`{name}`"));
            }
            let optional = met.times < seen.objects || met.nulls > 0;
            let field = Tree::map()
                .with("name", name.as_str())
                .with_some("rust_name", ident)
                .with("type", ty)
                .with("summary", "unknown")
                .with_some(unit_key(unit), unit)
                .with_some("optional", optional.then_some(true));
            fields.push(field);
        }
        if !whole.is_empty() {
            let verb = if whole.len() == 1 { "was" } else { "were" };
            let names = whole.join(", ");
            self.note(
                editor,
                format!("{names} {verb} whole in the few values seen; where fractions are possible, write `number`"),
            );
        }
        Ok(fields)
    }
}

/// Whether a listed field is known only from the previous version.
pub(super) fn is_former(field: &Tree, inherited: &str) -> bool {
    field.text("evidence").unwrap_or(inherited) == "previous_version"
}

/// The key for the unit or the format of a time.
fn unit_key(said: Option<&str>) -> &'static str {
    if said.is_some_and(|said| TimeFormat::of(said).is_some()) { "format" } else { "unit" }
}

fn snake(name: &str) -> String {
    names::ident(name, Case::Snake).unwrap_or_default()
}
