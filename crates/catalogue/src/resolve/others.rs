//! Resolves the type of the members of a record that are not listed. They become one field of the record, which is a map.

use super::Resolver;
use super::records_of_file::RecordsOfFile;
use crate::model::{Field, FieldSource, Type};
use crate::names::OTHERS;
use crate::spanned::Text;
use crate::spec::Evidence;
use crate::type_expr::TypeExpr;

impl<'a> Resolver<'a> {
    /// The field for the members that are not among the other `fields` of a record; `None` if their type is not declared.
    pub(super) fn others(
        &mut self,
        records: &RecordsOfFile<'a>,
        ty: Option<&'a Text>,
        fields: &[Field],
        evidence: Evidence,
    ) -> Option<Field> {
        let text = ty?;
        let Some(expr) = TypeExpr::parse(text) else {
            self.error("type-syntax", text.at(), &[text]);
            return None;
        };
        let of = self.type_in(records, &expr, text)?;
        if fields.iter().any(|field| field.wire_name == OTHERS || field.ident == OTHERS) {
            self.error("others/field", text.at(), &[]);
        }
        Some(Field {
            ident: OTHERS.to_owned(),
            wire_name: OTHERS.to_owned(),
            ty: Type::Map(Box::new(of)),
            source: FieldSource::Others,
            // A map that is missing is empty.
            optional: true,
            summary: "The members that are not listed, by their names.".to_owned(),
            evidence,
            ..Field::default()
        })
    }
}
