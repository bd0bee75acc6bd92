//! Downloads the volume ratio of a coin for each minute of a time range: `minutes-to-csv COIN FROM TO FILE`.

use std::error::Error;
use std::fs::{self, File, OpenOptions};
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};

use generated_client::history::Checkpoint;
use generated_client::{Client, Exchange, Timeframe, Timestamp};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [coin, from, to, file] = arguments.as_slice() else { return Err("usage: COIN FROM TO FILE".into()) };
    download(coin, from.parse()?, to.parse()?, Path::new(file)).await
}

async fn download(coin: &str, from: Timestamp, to: Timestamp, path: &Path) -> Result<(), Box<dyn Error>> {
    let client = Client::from_env()?;
    let ratio = client.orderflow().volume_ratio().exchange(Exchange::BINANCE_PERP_STABLE).coin(coin);
    let mut history = ratio.timeframe(Timeframe::M1).history(from..to);

    let checkpoint_path = PathBuf::from(format!("{}.checkpoint", path.display()));
    let mut file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
    if let Ok(text) = fs::read_to_string(&checkpoint_path) {
        let checkpoint: Checkpoint = text.parse()?;
        // Rows after the checkpoint are removed, because their records are fetched again.
        file.set_len(checkpoint.byte_offset())?;
        history = history.resume(checkpoint);
    } else {
        file.set_len(0)?;
        file.write_all(b"time,ratio\n")?;
    }
    file.seek(std::io::SeekFrom::End(0))?;

    let mut pages = history.pages();
    while let Some(page) = pages.next().await {
        let page = page?;
        for gap in &page.report.gaps {
            eprintln!("missing: {} to {}", gap.range.start, gap.range.end);
        }
        let mut rows = String::new();
        for record in &page.records {
            rows += &format!("{},{}\n", record.open_date, record.volume_ratio);
        }
        file.write_all(rows.as_bytes())?;
        file.sync_data()?;
        save(&page.checkpoint.with_byte_offset(file.stream_position()?), &checkpoint_path)?;
    }
    fs::remove_file(checkpoint_path)?;
    Ok(())
}

/// Writes a checkpoint atomically, so that a complete checkpoint exists at any time.
fn save(checkpoint: &Checkpoint, path: &Path) -> std::io::Result<()> {
    let new = path.with_extension("new");
    let mut file = File::create(&new)?;
    file.write_all(checkpoint.to_string().as_bytes())?;
    file.sync_data()?;
    fs::rename(new, path)
}
