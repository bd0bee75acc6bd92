//! Reads the scalar values and lists of the catalogue: texts, numbers, booleans, lists, and values that may be
//! `unknown`.

use std::str::FromStr;

use super::text::{has_lines, is_invisible, placeholder_text};
use super::{CatalogueReader, Read};
use crate::catalogue_format::{Form, Key, Shape};
use crate::diagnostic::Location;
use crate::known::Known;
use crate::pattern::is_like;
use crate::spanned::Spanned;
use crate::url_path;
use crate::yaml_parser::{self, Kind, Node};

impl CatalogueReader {
    fn text(&mut self, node: &Node, key: &Key) -> Option<String> {
        let text = match (&node.kind, &key.form) {
            (Kind::Text(text), _) => text.clone(),
            (Kind::Number(written), Form::Scalar) => written.clone(),
            (Kind::Flag(flag), Form::Scalar) => flag.to_string(),
            (kind, _) => {
                let help = match kind {
                    Kind::Number(written) => Some(format!("quote it: \"{written}\"")),
                    Kind::Flag(flag) => Some(format!("quote it: \"{flag}\"")),
                    // An author who writes a list or map here misunderstands the key, so the help describes the key.
                    Kind::List(_) | Kind::Map(_) => Some(format!("`{}`: {}", key.name, key.about.trim())),
                    _ => None,
                };
                self.report_with_help(node, "wrong-type", &[&"text", &node.describe()], help);
                return None;
            }
        };
        if !self.can_be_read(node, &text, &key.form) {
            return None;
        }
        self.not_cut(node);
        self.form(node, &text, &key.form);
        // Line breaks in prose have no meaning.
        let is_prose = matches!(key.form, Form::Prose);
        Some(if is_prose { text.split_whitespace().collect::<Vec<_>>().join(" ") } else { text })
    }

    /// Reports a text without quotes that ends before ` #x`, because YAML reads the rest of the line as a comment.
    fn not_cut(&mut self, node: &Node) {
        let (text, rest) = self.file.split_line(&node.span);
        let Some(comment) = rest.trim_start_matches(' ').strip_prefix('#') else { return };
        let is_text = rest.starts_with(' ') && comment.starts_with(|first: char| !first.is_whitespace());
        if is_text && !text.starts_with(['\'', '"']) {
            self.report(node, "cut-text", &[]);
        }
    }

    fn can_be_read(&mut self, node: &Node, text: &str, form: &Form) -> bool {
        let invisible = text.chars().find(|character| is_invisible(*character));
        let rule = match form {
            _ if invisible.is_some() => "invisible-character",
            _ if text.trim().is_empty() => "empty-text",
            Form::Prose if text.trim() == "unknown" => "wrong-value/unknown",
            Form::Prose => return true,
            _ if has_lines(text) => "line-break",
            _ => return true,
        };
        self.report(node, rule, &[&format!("{:04X}", u32::from(invisible.unwrap_or_default()))])
    }

    /// Reports an error if a text does not have the form that its key declares. The text is used anyway, so that later
    /// rules can check it.
    fn form(&mut self, node: &Node, text: &str, form: &Form) {
        match form {
            Form::Path { takes_params } => {
                if let Err((rule, part)) = url_path::check(text, *takes_params) {
                    self.report(node, rule, &[&text, &part]);
                }
            }
            Form::Like(pattern, rule) if !is_like(pattern, text) => {
                self.report(node, rule, &[&text]);
            }
            _ => {}
        }
    }

    /// Stores the names of an item that is dropped, so that references to the item cause no further errors.
    fn drop_names(&mut self, item: &Node) {
        for key in ["name", "id"] {
            if let Some(name) = item.get(key).and_then(Node::text) {
                self.dropped.insert(name.to_owned());
            }
        }
    }

    /// The value of a node; without a value, the kind of the node is an error.
    fn scalar<T: Read>(&mut self, node: &Node, value: Option<T>) -> Option<T> {
        if value.is_none() {
            self.report_mismatch(node, &T::SHAPE);
        }
        value
    }
}

impl Read for String {
    const SHAPE: Shape = Shape::Text;

    fn read(node: &Node, key: &Key, reader: &mut CatalogueReader) -> Option<Self> {
        reader.text(node, key)
    }

    fn placeholder(at: &Location) -> Option<Self> {
        Some(placeholder_text(at))
    }

    fn write(&self, key: &Key) -> Node {
        // A number that is kept as written needs no quotes.
        let is_number = matches!(key.form, Form::Scalar) && yaml_parser::is_number(self);
        if is_number { Kind::Number(self.clone()) } else { Kind::Text(self.clone()) }.into()
    }
}

fn parsed<T: FromStr>(node: &Node) -> Option<T> {
    node.number()?.parse().ok()
}

impl Read for u32 {
    const SHAPE: Shape = Shape::Whole;

    fn read(node: &Node, key: &Key, reader: &mut CatalogueReader) -> Option<Self> {
        let number = reader.scalar(node, parsed(node))?;
        if let Form::Within(min, max, rule) = &key.form
            && !(*min..=*max).contains(&number)
        {
            reader.report(node, rule, &[&number]);
        }
        Some(number)
    }

    fn write(&self, _: &Key) -> Node {
        Kind::Number(self.to_string()).into()
    }
}

impl Read for f64 {
    const SHAPE: Shape = Shape::Number;

    fn read(node: &Node, _: &Key, reader: &mut CatalogueReader) -> Option<Self> {
        let number: Option<Self> = parsed(node);
        reader.scalar(node, number.filter(|number| number.is_finite()))
    }

    fn write(&self, _: &Key) -> Node {
        // The digits of a large integer are written in full, because the shortest digits are another integer.
        let is_whole = self.fract() == 0.0 && self.abs() < 1e21;
        Kind::Number(if is_whole { format!("{self:.0}") } else { self.to_string() }).into()
    }
}

impl Read for bool {
    const SHAPE: Shape = Shape::Flag;

    fn read(node: &Node, _: &Key, reader: &mut CatalogueReader) -> Option<Self> {
        reader.scalar(node, if let Kind::Flag(flag) = node.kind { Some(flag) } else { None })
    }

    fn write(&self, _: &Key) -> Node {
        Kind::Flag(*self).into()
    }
}

impl<T: Read> Read for Spanned<T> {
    const SHAPE: Shape = T::SHAPE;

    fn read(node: &Node, key: &Key, reader: &mut CatalogueReader) -> Option<Self> {
        let value = T::read(node, key, reader)?;
        Some(Self::new(value, reader.location(node)))
    }

    fn placeholder(at: &Location) -> Option<Self> {
        Some(Self::new(T::placeholder(at)?, at.clone()))
    }

    fn write(&self, key: &Key) -> Node {
        T::write(self, key)
    }
}

impl<T: Read> Read for Option<T> {
    const SHAPE: Shape = T::SHAPE;

    fn read(node: &Node, key: &Key, reader: &mut CatalogueReader) -> Option<Self> {
        T::read(node, key, reader).map(Some)
    }

    fn placeholder(at: &Location) -> Option<Self> {
        T::placeholder(at).map(Some)
    }

    fn write(&self, key: &Key) -> Node {
        match self {
            Some(value) => value.write(key),
            None => Kind::Null.into(),
        }
    }
}

impl<T: Read> Read for Vec<T> {
    const SHAPE: Shape = Shape::List(&T::SHAPE);

    fn read(node: &Node, key: &Key, reader: &mut CatalogueReader) -> Option<Self> {
        let Kind::List(items) = &node.kind else {
            reader.report_mismatch(node, &Self::SHAPE);
            return None;
        };
        let mut values = Vec::with_capacity(items.len());
        for item in items {
            match T::read(item, key, reader) {
                Some(value) => values.push(value),
                None => reader.drop_names(item),
            }
        }
        Some(values)
    }

    fn placeholder(_: &Location) -> Option<Self> {
        Some(Self::new())
    }

    fn write(&self, key: &Key) -> Node {
        Kind::List(self.iter().map(|item| item.write(key)).collect()).into()
    }
}

impl<T: Read> Read for Known<T> {
    const SHAPE: Shape = Shape::Either(&[Shape::Word(&[("unknown", " Unknown.")]), T::SHAPE]);
    const SHOWS_DEFAULT: bool = true;

    fn read(node: &Node, key: &Key, reader: &mut CatalogueReader) -> Option<Self> {
        if node.text() == Some("unknown") {
            return Some(Self::Unknown);
        }
        // Texts skip the check of the shape, because `CatalogueReader::text` reports more specific errors.
        let is_text = matches!(T::SHAPE, Shape::Text);
        if !is_text && !reader.has_shape(node, &Self::SHAPE) {
            return None;
        }
        Some(Self::Known(T::read(node, key, reader)?))
    }

    fn placeholder(_: &Location) -> Option<Self> {
        Some(Self::Unknown)
    }

    fn write(&self, key: &Key) -> Node {
        match self {
            Self::Unknown => Kind::Text("unknown".to_owned()).into(),
            Self::Known(value) => value.write(key),
        }
    }
}
