//! Converts names, types and values to Rust source.

use std::time::Duration;

use proc_macro2::{Ident, Literal as Token, TokenStream};
use quote::{ToTokens, format_ident, quote};

use catalogue::model::{Body, RecordRef, Type};
use runtime::registry::Step;

/// The module `names` of the catalogue has already checked that the name is a valid identifier.
pub(super) fn ident(name: &str) -> Ident {
    format_ident!("{name}")
}

pub(super) fn record_type(record: &RecordRef) -> Ident {
    ident(&record.ident)
}

/// The Rust type of a value.
pub(super) fn rust_type(ty: &Type) -> TokenStream {
    match ty {
        Type::Builtin(builtin) => ident(builtin.rust_name()).into_token_stream(),
        Type::Named(name) => ident(name).into_token_stream(),
        Type::Record(record) | Type::Recursive(record) => record_type(record).into_token_stream(),
        Type::List(item) => {
            let item = rust_type(item);
            quote!(Vec<#item>)
        }
        Type::Map(item) => {
            let item = rust_type(item);
            quote!(::std::collections::BTreeMap<String, #item>)
        }
        Type::Option(given) => {
            let given = rust_type(given);
            quote!(Option<#given>)
        }
    }
}

/// The Rust type of the body of a response.
pub(super) fn body_type(body: &Body) -> TokenStream {
    match body {
        Body::Series { record: Some(record), .. } => {
            let record = record_type(record);
            quote!(Series<#record>)
        }
        Body::Series { record: None, .. } => quote!(Series<Value>),
        Body::Object { record, .. } => record_type(record).into_token_stream(),
        Body::Unknown => quote!(Value),
    }
}

/// A value that is emitted as a Rust expression.
pub(super) trait Literal {
    /// The expression, which is valid in a constant.
    fn literal(&self) -> TokenStream;
}

impl Literal for &str {
    fn literal(&self) -> TokenStream {
        self.to_token_stream()
    }
}

impl Literal for bool {
    fn literal(&self) -> TokenStream {
        self.to_token_stream()
    }
}

impl Literal for u16 {
    fn literal(&self) -> TokenStream {
        u64::from(*self).literal()
    }
}

impl Literal for u32 {
    fn literal(&self) -> TokenStream {
        u64::from(*self).literal()
    }
}

/// Clippy requires digits in groups of three.
impl Literal for u64 {
    fn literal(&self) -> TokenStream {
        let digits = self.to_string();
        let grouped = grouped(digits.as_bytes().rchunks(3).rev(), &digits);
        parsed(&grouped, Token::u64_unsuffixed(*self))
    }
}

impl Literal for i64 {
    fn literal(&self) -> TokenStream {
        let digits = self.unsigned_abs().literal();
        if self.is_negative() { quote!(-#digits) } else { digits }
    }
}

/// Clippy requires digits in groups of three, from the decimal point in both directions.
impl Literal for f64 {
    fn literal(&self) -> TokenStream {
        let digits = format!("{:?}", self.abs());
        let mut text = digits.clone();
        let has_exponent = digits.contains('e');
        if let Some((whole, fraction)) = digits.split_once('.')
            && !has_exponent
        {
            let whole = grouped(whole.as_bytes().rchunks(3).rev(), whole);
            let fraction = grouped(fraction.as_bytes().chunks(3), fraction);
            text = format!("{whole}.{fraction}");
        }
        let literal = parsed(&text, Token::f64_suffixed(self.abs()));
        if self.is_sign_negative() { quote!(-#literal) } else { literal }
    }
}

impl Literal for Duration {
    fn literal(&self) -> TokenStream {
        let seconds = self.as_secs().literal();
        quote!(::std::time::Duration::from_secs(#seconds))
    }
}

impl Literal for Step {
    fn literal(&self) -> TokenStream {
        let step = match self {
            Self::Fixed(length) => {
                let seconds = length.as_secs().literal();
                quote!(seconds(#seconds))
            }
            Self::Months(months) => {
                let months = months.literal();
                quote!(Months(#months))
            }
            _ => quote!(BusinessDays),
        };
        // The name may be that of a type of the catalogue.
        quote!(::runtime::registry::Step::#step)
    }
}

impl<T: Literal> Literal for Option<T> {
    fn literal(&self) -> TokenStream {
        let Some(value) = self else { return quote!(None) };
        let value = value.literal();
        quote!(Some(#value))
    }
}

impl<T: Literal> Literal for &[T] {
    fn literal(&self) -> TokenStream {
        let items = literals(self);
        quote!(&[#(#items),*])
    }
}

impl<A: Literal, B: Literal> Literal for (A, B) {
    fn literal(&self) -> TokenStream {
        let first = self.0.literal();
        let second = self.1.literal();
        quote!((#first, #second))
    }
}

pub(super) fn literals(values: &[impl Literal]) -> Vec<TokenStream> {
    values.iter().map(Literal::literal).collect()
}

/// A literal with separators between digits, which a token of `proc_macro2` cannot have.
fn parsed(text: &str, without_separators: Token) -> TokenStream {
    match text.parse() {
        Ok(literal) => literal,
        Err(_) => without_separators.into_token_stream(),
    }
}

fn grouped<'a>(groups: impl Iterator<Item = &'a [u8]>, digits: &str) -> String {
    if digits.len() < 5 {
        return digits.to_owned();
    }
    let groups: Vec<_> = groups.map(String::from_utf8_lossy).collect();
    groups.join("_")
}
