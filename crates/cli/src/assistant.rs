//! The tools of `mcp`: calls of an assistant → texts, each short enough for its context.
//!
//! A tool does what a command does, with the code of the command. It reads and writes only below one folder.

mod answer;
mod arguments;
mod work_folder;

mod excerpt;

mod stored_file;

mod progress_notes;

mod fetch;

mod tools;

mod server;

#[cfg(test)]
mod questions;

pub(crate) use server::AssistantServer;
pub(crate) use work_folder::WorkFolder;
