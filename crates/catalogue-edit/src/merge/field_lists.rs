//! Merges the lists of fields that are not new: those of the metadata, and those whose types were widened.

use catalogue::names::OTHERS;
use catalogue::spec::Field;

use super::Merger;
use crate::content::FieldListPosition;
use crate::names_in_use::NamesInUse;

impl Merger<'_> {
    /// The fields of the metadata in the draft, if the catalogue has metadata without fields.
    pub(super) fn new_metadata(&self) -> &[Field] {
        match self.known.metadata() {
            Some(known) if known.fields.is_empty() => &self.draft.metadata,
            _ => &[],
        }
    }

    /// Writes the fields of the metadata if the catalogue has none, or notes differences.
    pub(super) fn write_metadata(&mut self) {
        self.note_metadata();
        let new = self.fields(self.new_metadata(), &mut NamesInUse::default());
        if let Some(fields) = self.editor.content.fields_mut(&FieldListPosition::Metadata) {
            fields.extend(new);
        }
    }

    /// Replaces known lists of fields with the widened lists.
    pub(super) fn write_lists(&mut self) {
        for (at, drafted) in &self.draft.lists {
            let prefix = self.prefix_of_fields(at);
            let mut idents = self.names_next_to_fields(at);
            let fields = self.fields(drafted, &mut idents);
            let Some(list) = self.editor.content.fields_mut(at) else { continue };
            let old = std::mem::replace(list, fields.clone());
            for field in &fields {
                let is_new = old.iter().all(|known| known.name != field.name);
                if is_new {
                    self.editor.note(format!("`{prefix}{}` is new ({})", field.name, field.ty));
                }
            }
        }
    }

    /// The name of the record that has the fields, as a prefix of their names.
    fn prefix_of_fields(&self, at: &FieldListPosition) -> String {
        let content = &self.editor.content;
        match at {
            FieldListPosition::Body(_) => String::new(),
            FieldListPosition::Record(at) => format!("{}.", content.records(&at.module)[at.index].name),
            FieldListPosition::Metadata => match content.metadata() {
                Some(metadata) => format!("{}.", metadata.name),
                None => String::new(),
            },
        }
    }

    /// The names in the emitted record that do not belong to one of the listed fields.
    fn names_next_to_fields(&self, at: &FieldListPosition) -> NamesInUse {
        let content = &self.editor.content;
        let mut idents = NamesInUse::default();
        let mut has_others = false;
        match at {
            FieldListPosition::Body(at) => {
                let mut body = content.endpoint(at).body.known().cloned().unwrap_or_default();
                idents = self.omit_time(&mut body);
                has_others = body.others.is_some();
            }
            FieldListPosition::Record(at) => has_others = content.records(&at.module)[at.index].others.is_some(),
            FieldListPosition::Metadata => {}
        }
        if has_others {
            idents.note(OTHERS);
        }
        idents
    }
}
