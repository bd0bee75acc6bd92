//! Checks the lengths in the footer of a Parquet file before a decoder reserves memory for them.
//!
//! A footer is a struct in the compact protocol of Thrift. The decoder reserves memory for as many children as an element
//! of the schema declares, and for as many row groups as their list declares, and it calls itself for each level of the
//! schema. A damaged number could therefore reserve 17 GB, and a deep schema end the process. Values are not checked here.

/// The levels of a schema, and of the values of a footer. Files of a backfill have two and seven.
const MAX_DEPTH: usize = 64;

/// The greatest number of row groups that a file can have.
const MAX_GROUPS: u64 = i16::MAX.unsigned_abs() as u64;

/// The numbers of the fields of a footer.
const SCHEMA: i16 = 2;
const ROW_GROUPS: i16 = 4;

/// The number of the field of an element of the schema with the number of its children.
const CHILDREN: i16 = 5;

/// The reason why a footer must not be decoded.
pub(crate) fn check(footer: &[u8]) -> Result<(), String> {
    let mut reader = ThriftReader { rest: footer };
    let mut id = 0;
    while let Some(field) = reader.field(&mut id)? {
        match (id, field) {
            (SCHEMA, Kind::List) => reader.schema()?,
            (ROW_GROUPS, Kind::List) => reader.row_groups()?,
            // The decoder reads a list whatever the footer declares.
            (SCHEMA | ROW_GROUPS, _) => return Err(format!("its field {id} is not a list")),
            (_, field) => reader.skip(field, MAX_DEPTH)?,
        }
    }
    Ok(())
}

/// The kinds of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// `true` and `false` are kinds of fields. In a list, each takes a byte.
    Boolean,
    Byte,
    /// An integer of any length.
    Integer,
    Double,
    Binary,
    /// A list or a set.
    List,
    Map,
    Struct,
    Uuid,
}

impl Kind {
    fn of(code: u8) -> Result<Self, String> {
        match code {
            1 | 2 => Ok(Self::Boolean),
            3 => Ok(Self::Byte),
            4..=6 => Ok(Self::Integer),
            7 => Ok(Self::Double),
            8 => Ok(Self::Binary),
            9 | 10 => Ok(Self::List),
            11 => Ok(Self::Map),
            12 => Ok(Self::Struct),
            13 => Ok(Self::Uuid),
            _ => Err(format!("{code} is not a kind of value")),
        }
    }
}

/// The header of a list.
struct List {
    kind: Kind,
    count: u64,
}

/// Reads the values of a footer.
struct ThriftReader<'f> {
    rest: &'f [u8],
}

impl ThriftReader<'_> {
    fn byte(&mut self) -> Result<u8, String> {
        let Some((first, rest)) = self.rest.split_first() else { return Err(ended()) };
        self.rest = rest;
        Ok(*first)
    }

    fn skip_bytes(&mut self, count: u64) -> Result<(), String> {
        let rest = usize::try_from(count).ok().and_then(|count| self.rest.get(count..));
        self.rest = rest.ok_or_else(ended)?;
        Ok(())
    }

    fn unsigned(&mut self) -> Result<u64, String> {
        let mut value = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err("a number has more than ten bytes".to_owned())
    }

    fn signed(&mut self) -> Result<i64, String> {
        let zigzag = self.unsigned()?;
        Ok((zigzag >> 1).cast_signed() ^ -(zigzag & 1).cast_signed())
    }

    /// Reads the kind of the next field of a struct, and changes its number; `None` at the end of the struct.
    fn field(&mut self, id: &mut i16) -> Result<Option<Kind>, String> {
        let byte = self.byte()?;
        if byte == 0 {
            return Ok(None);
        }
        let distance = byte >> 4;
        *id = if distance == 0 { self.field_number()? } else { id.saturating_add(distance.into()) };
        Kind::of(byte & 0x0f).map(Some)
    }

    /// The number of a field, of which the decoder would read only the last 16 bits.
    fn field_number(&mut self) -> Result<i16, String> {
        let number = self.signed()?;
        i16::try_from(number).map_err(|_| format!("{number} is not the number of a field"))
    }

    fn list(&mut self) -> Result<List, String> {
        let byte = self.byte()?;
        // Some writers declare no kind for an empty list.
        if byte == 0 {
            return Ok(List { kind: Kind::Struct, count: 0 });
        }
        let kind = Kind::of(byte & 0x0f)?;
        let short = byte >> 4;
        let count = if short == 15 { self.unsigned()? } else { short.into() };
        if count > self.rest.len() as u64 {
            return Err(format!("a list of {count} values has {} bytes", self.rest.len()));
        }
        Ok(List { kind, count })
    }

    /// Reads the elements of the schema, each of which is followed by its children.
    fn schema(&mut self) -> Result<(), String> {
        let List { kind, count } = self.list()?;
        // The numbers of missing children of the elements that are not complete.
        let mut open: Vec<u64> = Vec::new();
        let mut left = count;
        for _ in 0..count {
            left -= 1;
            while open.last() == Some(&0) {
                open.pop();
            }
            if let Some(missing) = open.last_mut() {
                *missing -= 1;
            }
            let children = self.children(kind)?;
            // The elements that are left are also children of other elements.
            let others = open.iter().copied().fold(0, u64::saturating_add);
            if children > left.saturating_sub(others) {
                return Err(format!("an element of its schema has {children} children, but {left} elements are left"));
            }
            open.push(children);
            if open.len() > MAX_DEPTH {
                return Err(format!("its schema has more than {MAX_DEPTH} levels"));
            }
        }
        Ok(())
    }

    /// Reads an element of the schema, and returns the number of its children.
    fn children(&mut self, kind: Kind) -> Result<u64, String> {
        if kind != Kind::Struct {
            return Err("its schema has no elements".to_owned());
        }
        let mut children = 0;
        let mut id = 0;
        while let Some(field) = self.field(&mut id)? {
            if id == CHILDREN {
                if field != Kind::Integer {
                    return Err("the number of children of its schema is not an integer".to_owned());
                }
                let number = self.signed()?;
                children = u64::try_from(number).map_err(|_| format!("its schema has {number} children"))?;
            } else {
                self.skip(field, MAX_DEPTH)?;
            }
        }
        Ok(children)
    }

    fn row_groups(&mut self) -> Result<(), String> {
        let List { kind, count } = self.list()?;
        if count > MAX_GROUPS {
            return Err(format!("it has {count} row groups"));
        }
        for _ in 0..count {
            self.skip(kind, MAX_DEPTH)?;
        }
        Ok(())
    }

    /// Skips a value with at most this many levels.
    fn skip(&mut self, kind: Kind, depth: usize) -> Result<(), String> {
        let Some(inner) = depth.checked_sub(1) else {
            return Err(format!("a value has more than {MAX_DEPTH} levels"));
        };
        match kind {
            Kind::Boolean => {}
            Kind::Byte => self.skip_bytes(1)?,
            Kind::Integer => drop(self.unsigned()?),
            Kind::Double => self.skip_bytes(8)?,
            Kind::Binary => {
                let length = self.unsigned()?;
                self.skip_bytes(length)?;
            }
            Kind::List => {
                let List { kind, count } = self.list()?;
                for _ in 0..count {
                    self.skip_item(kind, inner)?;
                }
            }
            Kind::Map => self.skip_map(inner)?,
            Kind::Struct => {
                let mut id = 0;
                while let Some(field) = self.field(&mut id)? {
                    self.skip(field, inner)?;
                }
            }
            Kind::Uuid => self.skip_bytes(16)?,
        }
        Ok(())
    }

    fn skip_map(&mut self, depth: usize) -> Result<(), String> {
        let count = self.unsigned()?;
        if count == 0 {
            return Ok(());
        }
        let kinds = self.byte()?;
        let key = Kind::of(kinds >> 4)?;
        let value = Kind::of(kinds & 0x0f)?;
        for _ in 0..count {
            self.skip_item(key, depth)?;
            self.skip_item(value, depth)?;
        }
        Ok(())
    }

    /// Skips a value in a list or a map.
    fn skip_item(&mut self, kind: Kind, depth: usize) -> Result<(), String> {
        if kind == Kind::Boolean { self.skip_bytes(1) } else { self.skip(kind, depth) }
    }
}

fn ended() -> String {
    "it is too short".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(mut value: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        while value > 0x7f {
            bytes.push(u8::try_from(value & 0x7f).unwrap() | 0x80);
            value >>= 7;
        }
        bytes.push(u8::try_from(value).unwrap());
        bytes
    }

    fn list(count: usize) -> Vec<u8> {
        [vec![0xfc], number(count as u64)].concat()
    }

    /// A footer whose schema has elements with these numbers of children, and which declares this number of row groups.
    fn footer(children: &[i32], groups: usize) -> Vec<u8> {
        let mut bytes = vec![0x15, 2, 0x19];
        bytes.extend(list(children.len()));
        for count in children {
            // The name and the number of children.
            bytes.extend([0x48, 1, b'x', 0x15]);
            bytes.extend(number(u64::from(count.unsigned_abs()) * 2 - u64::from(*count < 0)));
            bytes.push(0);
        }
        bytes.extend([0x16, 0, 0x19]);
        bytes.extend(list(groups));
        bytes.push(0);
        bytes
    }

    #[test]
    fn a_schema_has_as_many_elements_as_it_declares() {
        for children in [&[0][..], &[2, 0, 0], &[2, 1, 0, 0], &[1, 1, 1, 0]] {
            assert_eq!(check(&footer(children, 0)), Ok(()), "{children:?}");
        }
        for children in [&[1][..], &[i32::MAX], &[2, 0], &[2, 2, 0, 0], &[-1], &[1, i32::MAX]] {
            assert!(check(&footer(children, 0)).is_err(), "{children:?}");
        }
        let deep = [vec![1; 100_000], vec![0]].concat();
        assert_eq!(check(&footer(&deep, 0)), Err("its schema has more than 64 levels".to_owned()));
        let wide = [vec![99_999], vec![0; 99_999]].concat();
        assert_eq!(check(&footer(&wide, 0)), Ok(()));
    }

    #[test]
    fn fields_are_those_that_the_decoder_reads() {
        let start = [0x15, 2];
        let check = |rest: &[u8]| check(&[&start[..], rest].concat());
        // An empty schema and no row groups, without the kinds of their elements.
        assert_eq!(check(&[0x19, 0, 0x29, 0, 0]), Ok(()));
        assert_eq!(check(&[0x15, 0, 0]), Err("its field 2 is not a list".to_owned()));
        assert_eq!(check(&[0x3c, 0, 0]), Err("its field 4 is not a list".to_owned()));
        // The last 16 bits are the number of the schema.
        let number = [vec![0x09], number(65_538 * 2)].concat();
        assert_eq!(check(&number), Err("65538 is not the number of a field".to_owned()));
        let element = [0x19, 0x1c, 0x57, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        assert_eq!(check(&element), Err("the number of children of its schema is not an integer".to_owned()));
    }

    #[test]
    fn a_list_has_as_many_values_as_it_declares() {
        for groups in [1, 40_000, 1 << 31, usize::MAX] {
            assert!(check(&footer(&[0], groups)).is_err(), "{groups}");
        }
    }
}
