//! A server that implements the part of Redis's protocol that a rate limiter needs, and executes the rate limiter's script.
//!
//! Each connection has a thread. Only the commands of the rate limiter are supported. Scripts run in the same version of Lua as
//! in Redis, one at a time.

#![allow(clippy::missing_panics_doc, clippy::unwrap_used, reason = "a test may panic")]

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use mlua::{Lua, Value, Variadic};

/// A server on a free port.
#[derive(Debug)]
pub struct Server {
    /// The port on this machine.
    pub port: u16,
    shelf: Arc<Mutex<Shelf>>,
}

#[derive(Debug, Default)]
struct Shelf {
    password: Option<String>,
    /// `true` if scripts may not call `INFO`.
    is_reserved: bool,
    /// `true` if writes fail for lack of memory.
    is_full: bool,
    /// `true` if every key is deleted as soon as it is written.
    evicts: bool,
    run: u32,
    hashes: HashMap<String, HashMap<String, String>>,
    scripts: HashMap<String, String>,
    connections: Vec<TcpStream>,
}

fn lock(shelf: &Mutex<Shelf>) -> MutexGuard<'_, Shelf> {
    shelf.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Server {
    /// Starts a server, which accepts any user or, if there is a password, those who know it.
    pub fn start(password: Option<&str>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let shelf = Shelf { password: password.map(str::to_owned), ..Shelf::default() };
        let shelf = Arc::new(Mutex::new(shelf));
        let shared = shelf.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shelf = shared.clone();
                lock(&shelf).connections.push(stream.try_clone().unwrap());
                // A client that disconnects in the middle of a command is ignored.
                std::thread::spawn(move || drop(serve(&stream, &shelf)));
            }
        });
        Self { port, shelf }
    }

    /// Returns the URL of the server for a user, such as `name:password@`; an empty user needs no password.
    pub fn url(&self, user: &str) -> String {
        format!("redis://{user}127.0.0.1:{}", self.port)
    }

    /// Closes all connections, and deletes scripts and data.
    pub fn restart(&self) {
        let mut held = lock(&self.shelf);
        held.run += 1;
        held.hashes.clear();
        held.scripts.clear();
        for connection in held.connections.drain(..) {
            // The client may have disconnected.
            let _ = connection.shutdown(Shutdown::Both);
        }
    }

    /// Rejects `INFO` in scripts from now on.
    pub fn reserve_info(&self) {
        lock(&self.shelf).is_reserved = true;
    }

    /// Rejects writes from now on, as a server that has run out of memory does.
    pub fn fill(&self) {
        lock(&self.shelf).is_full = true;
    }

    /// Deletes every key as soon as it is written, as a server that has run out of memory may do.
    pub fn evict(&self) {
        lock(&self.shelf).evicts = true;
    }

    /// Returns the value of a field of a key.
    pub fn field(&self, key: &str, field: &str) -> Option<String> {
        lock(&self.shelf).hashes.get(key)?.get(field).cloned()
    }
}

/// Reads the number in a line, after the character for its kind.
fn read_number(reader: &mut impl BufRead) -> io::Result<usize> {
    let mut line = String::new();
    reader.read_line(&mut line)?;
    match line.get(1..).unwrap_or_default().trim().parse() {
        Ok(number) => Ok(number),
        Err(_) => Err(io::ErrorKind::InvalidData.into()),
    }
}

/// Reads one command: an array of strings.
fn read(reader: &mut impl BufRead) -> io::Result<Vec<String>> {
    let count = read_number(reader)?;
    let mut words = Vec::new();
    for _ in 0..count {
        let mut word = vec![0; read_number(reader)? + 2];
        reader.read_exact(&mut word)?;
        words.push(String::from_utf8_lossy(&word[..word.len() - 2]).into_owned());
    }
    Ok(words)
}

fn serve(mut stream: &TcpStream, shelf: &Mutex<Shelf>) -> io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut is_known = lock(shelf).password.is_none();
    let mut wanted = String::new();
    loop {
        let words = read(&mut reader)?;
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let reply = match words.as_slice() {
            ["AUTH", .., password] => {
                is_known = lock(shelf).password.as_deref() == Some(password);
                if is_known {
                    ok()
                } else {
                    "-WRONGPASS invalid username-password pair or user is disabled.\r\n".into()
                }
            }
            ["CLIENT" | "SELECT", ..] => ok(),
            _ if !is_known => "-NOAUTH Authentication required.\r\n".into(),
            ["SCRIPT", "LOAD", text] => {
                // A client loads a script only after an `EVALSHA` of this script has failed, so `wanted` is the hash of
                // the script.
                lock(shelf).scripts.insert(wanted.clone(), (*text).to_owned());
                bulk(&wanted)
            }
            ["EVALSHA", hash, "1", key, arguments @ ..] => {
                (*hash).clone_into(&mut wanted);
                let mut shelf = lock(shelf);
                match shelf.scripts.get(*hash).cloned() {
                    None => "-NOSCRIPT No matching script. Please use EVAL.\r\n".into(),
                    Some(script) => evaluate(&script, key, arguments, &mut shelf),
                }
            }
            _ => format!("-ERR unknown command {words:?}\r\n"),
        };
        stream.write_all(reply.as_bytes())?;
    }
}

fn ok() -> String {
    "+OK\r\n".to_owned()
}

fn bulk(text: &str) -> String {
    format!("${}\r\n{text}\r\n", text.len())
}

/// The error of a write to a server without free memory.
const FULL: &str = "OOM command not allowed when used memory > 'maxmemory'.";

/// Runs a script, which can access only its keys, its arguments and `redis`.
fn evaluate(script: &str, key: &str, arguments: &[&str], shelf: &mut Shelf) -> String {
    match run(script, key, arguments, shelf) {
        Ok(values) => {
            let mut reply = format!("*{}\r\n", values.len());
            for value in &values {
                reply += &bulk(value);
            }
            reply
        }
        // The reply begins with the code of the error of the command.
        Err(error) if error.to_string().contains(FULL) => format!("-{FULL} script: {key}, on @user_script:1.\r\n"),
        Err(error) => format!("-ERR {}\r\n", error.to_string().replace(['\r', '\n'], " ")),
    }
}

fn run(script: &str, key: &str, arguments: &[&str], shelf: &mut Shelf) -> mlua::Result<Vec<String>> {
    let lua = Lua::new();
    lua.globals().set("KEYS", vec![key])?;
    lua.globals().set("ARGV", arguments.to_vec())?;
    lua.scope(|scope| {
        let call = scope.create_function_mut(|lua, words: Variadic<String>| command(lua, &words, shelf))?;
        let redis = lua.create_table()?;
        redis.set("call", call.clone())?;
        redis.set("pcall", call)?;
        lua.globals().set("redis", redis)?;
        lua.load(script).eval()
    })
}

/// Executes a command of a script.
fn command(lua: &Lua, words: &[String], shelf: &mut Shelf) -> mlua::Result<Value> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["TIME"] => {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            let words = [now.as_secs().to_string(), now.subsec_micros().to_string()];
            Ok(Value::Table(lua.create_sequence_from(words)?))
        }
        ["INFO", "server"] if shelf.is_reserved => {
            let error = [("err", "NOPERM this user has no permissions to run 'info'")];
            Ok(Value::Table(lua.create_table_from(error)?))
        }
        ["INFO", "server"] => {
            let info = format!("# Server\r\nredis_version:7.0.15\r\nrun_id:{:040x}\r\ntcp_port:6379\r\n", shelf.run);
            Ok(Value::String(lua.create_string(info)?))
        }
        ["HMGET", key, fields @ ..] => {
            let hash = shelf.hashes.get(*key);
            let mut values = Vec::new();
            for field in fields {
                values.push(match hash.and_then(|hash| hash.get(*field)) {
                    Some(value) => Value::String(lua.create_string(value)?),
                    // In scripts, Redis represents nil as `false`.
                    None => Value::Boolean(false),
                });
            }
            Ok(Value::Table(lua.create_sequence_from(values)?))
        }
        ["HSET", ..] if shelf.is_full => Err(mlua::Error::runtime(FULL)),
        ["HSET", ..] if shelf.evicts => Ok(Value::Integer(2)),
        ["HSET", key, pairs @ ..] => {
            let hash = shelf.hashes.entry((*key).to_owned()).or_default();
            for pair in pairs.chunks(2) {
                hash.insert(pair[0].to_owned(), pair[1].to_owned());
            }
            Ok(Value::Integer(2))
        }
        ["PEXPIRE", _, milliseconds] if milliseconds.parse::<u64>().is_ok() => Ok(Value::Integer(1)),
        _ => Err(mlua::Error::runtime(format!("unknown command {words:?}"))),
    }
}
