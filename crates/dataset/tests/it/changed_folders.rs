//! Tests of data sets in which files are missing, copied, replaced or added.

use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::Schema;
use dataset::{Partition, Target, quoted, remove, status};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;

use crate::support::{
    DAY, END, TARGETS, all_files, client, coins, files, job, read, run, run_cancelled, state_of, target_of, with,
};

/// A data set may be copied without its hidden folder.
#[tokio::test(start_paused = true)]
async fn a_data_set_without_its_state_is_adopted() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data/");
    let target = target_of(&path);
    let whole = job(coins(&client(), &["BTC", "ETH"]), END - 300 * DAY, END, &path);
    run(&whole).await;
    let rows = read(&path);
    fs::remove_dir_all(path.join(".backfill")).unwrap();
    let copy = path.join("orderflow.volume_ratio/copy.parquet");
    fs::copy(path.join("orderflow.volume_ratio/1h-2024.parquet"), &copy).unwrap();
    let error = status(&target).await.unwrap_err().to_string();
    assert!(error.contains("the folder .backfill with the state"), "{error}");
    let adopted = dataset::adopt(&target).await.unwrap();
    assert!(adopted.series.len() == 2 && adopted.strays[0].contains("copy.parquet"), "{adopted:?}");
    fs::remove_file(copy).unwrap();
    assert_eq!(dataset::adopt(&target).await.unwrap().series.len(), 0, "no state is missing");
    let state = state_of(&path).await;
    assert!(state.damaged.is_empty() && state.series.iter().all(|one| one.rows == 300 * 24), "{state:?}");
    let again = run(&whole).await;
    assert!(again.is_complete && again.records == 0 && again.requests <= 2, "{again:?}");
    assert_eq!(read(&path), rows);
}

/// Without a state, nothing shows whether the months or the year are the data set, and neither may be ignored.
#[tokio::test(start_paused = true)]
async fn files_of_two_partitions_are_not_adopted() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data/");
    let target = target_of(&path);
    let months = with(job(coins(&client(), &["BTC"]), END - 60 * DAY, END, &path), |job| {
        job.partition = Some(Partition::Month);
    });
    run(&months).await;
    let other = dir.path().join("other/");
    run(&job(coins(&client(), &["BTC"]), END - 300 * DAY, END, &other)).await;
    let year = "orderflow.volume_ratio/1h-2023.parquet";
    fs::copy(other.join(year), path.join(year)).unwrap();
    fs::remove_dir_all(path.join(".backfill")).unwrap();
    let adopted = dataset::adopt(&target).await.unwrap();
    assert!(adopted.series.is_empty() && adopted.failed.len() == 1, "{adopted:?}");
    fs::remove_file(path.join(year)).unwrap();
    assert_eq!(dataset::adopt(&target).await.unwrap().series.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_deleted_file_of_a_data_set_is_damage() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data/");
    let whole = job(coins(&client(), &["BTC"]), END - 300 * DAY, END, &path);
    run(&whole).await;
    fs::remove_file(path.join("orderflow.volume_ratio/1h-2023.parquet")).unwrap();
    let damaged = state_of(&path).await.damaged;
    assert!(damaged.len() == 1 && damaged[0].contains("1h-2023.parquet: missing"), "{damaged:?}");
    let summary = run(&whole).await;
    assert!(summary.repairs.len() == 1 && summary.lost_rows.is_empty(), "{summary:?}");
    assert_eq!(state_of(&path).await.damaged, [""; 0]);
    assert_eq!(read(&path).len(), 300 * 24);
    // The rows of a series that no job has any more are lost.
    fs::remove_file(path.join("orderflow.volume_ratio/1h-2023.parquet")).unwrap();
    let rolling = job(coins(&client(), &["BTC"]), END - 90 * DAY, END, &path);
    let summary = run(&rolling).await;
    assert!(summary.lost_rows.len() == 1 && summary.lost_rows[0].is_new, "{summary:?}");
    assert_eq!(state_of(&path).await.lost_rows.len(), 1);
    assert!(run(&whole).await.lost_rows.is_empty(), "a run has fetched them again");
}

#[tokio::test(start_paused = true)]
async fn copies_in_a_data_set_are_named_and_are_not_read() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data/");
    let until = |days: i64| job(coins(&client(), &["BTC"]), END - 9 * DAY, END - 9 * DAY + days * DAY, &path);
    run(&until(3)).await;
    let endpoint = path.join("orderflow.volume_ratio");
    let copies = ["1h-2024 (copy).parquet", "data.parquet", "folder/1h-2024.parquet", "1h-2024-06.parquet"];
    for (copy, days) in copies.into_iter().zip(4..) {
        let copy = endpoint.join(copy);
        fs::create_dir_all(copy.parent().unwrap()).unwrap();
        fs::copy(endpoint.join("1h-2024.parquet"), &copy).unwrap();
        let strays = until(days).plan().await.unwrap().strays;
        let name = copy.file_name().unwrap().to_str().unwrap();
        assert!(strays.len() == 1 && strays[0].contains(name) && strays[0].contains("move it"), "{strays:?}");
        let state = state_of(&path).await;
        assert_eq!(
            (state.strays, state.damaged, state.series[0].rows),
            (strays, Vec::new(), u64::try_from(days - 1).unwrap() * 24)
        );
        // The data set itself is complete.
        let bytes = fs::read(&copy).unwrap();
        let summary = run(&until(days)).await;
        assert!(summary.is_complete && summary.records == 24, "{summary:?}");
        assert_eq!(fs::read(&copy).unwrap(), bytes, "the run has not changed it");
        fs::remove_file(&copy).unwrap();
        assert_eq!(i64::try_from(read(&path).len()).unwrap(), days * 24);
    }
}

/// A plan without a lock changes no file, and has the requests of the run that repairs the files.
#[tokio::test(start_paused = true)]
async fn a_plan_of_a_damaged_target_is_that_of_its_next_run() {
    for name in TARGETS {
        for is_deleted in [false, true] {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join(name);
            let whole = job(coins(&client(), &["BTC", "ETH"]), END - 300 * DAY, END, &path);
            run(&whole).await;
            let file = all_files(dir.path()).into_iter().find(|name| name.ends_with(".parquet")).unwrap();
            let file = dir.path().join(file);
            let length = fs::metadata(&file).unwrap().len();
            if is_deleted {
                fs::remove_file(&file).unwrap();
            } else {
                File::options().write(true).open(&file).unwrap().set_len(length / 2).unwrap();
            }
            if name == "out.csv" && is_deleted {
                continue;
            }
            let before = all_files(dir.path());
            let plan = whole.plan().await.unwrap();
            assert_eq!((plan.damaged.len(), all_files(dir.path())), (usize::from(!is_deleted), before), "{name}");
            let summary = run(&whole).await;
            assert!(plan.requests() > 2, "{name} {is_deleted}: {plan:?}");
            assert_eq!(plan.requests(), summary.requests, "{name} {is_deleted}: {plan:?} {summary:?}");
            assert_eq!(read(&path).len(), 2 * 300 * 24, "{name} {is_deleted}");
        }
    }
}

/// A file that was replaced by an older copy has fewer rows than the state of the data set, so they are fetched again.
#[tokio::test(start_paused = true)]
async fn rows_of_a_file_that_was_replaced_are_fetched_again() {
    for name in ["data/", "out.parquet", "out.csv"] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let days =
            |days: i64| job(coins(&client(), &["BTC", "ETH"]), END - 60 * DAY, END - 60 * DAY + days * DAY, &path);
        run(&days(20)).await;
        let file = files(dir.path()).into_iter().find(|name| name.ends_with(".parquet")).unwrap();
        let older = fs::read(dir.path().join(&file)).unwrap();
        run(&days(60)).await;
        fs::write(dir.path().join(&file), &older).unwrap();
        assert_eq!(run(&days(60)).await.records, 2 * 40 * 24, "{name}");
        assert_eq!(read(&path).len(), 2 * 60 * 24, "{name}");
        assert_eq!(state_of(&path).await.damaged, [""; 0]);
    }
}

/// Readers of the data set would read the rows of another target in it as rows of the data set.
#[tokio::test(start_paused = true)]
async fn a_path_inside_a_data_set_is_not_a_target() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data/");
    run(&job(coins(&client(), &["BTC"]), END - DAY, END, &path)).await;
    let file = state_of(&path).await.series.remove(0).files.remove(0);
    let before = all_files(&path);
    let endpoint = Path::new(&file).parent().unwrap();
    let inner = [endpoint.into(), file.clone().into(), endpoint.join("new.parquet"), endpoint.join("new/new.csv")];
    for inner in inner {
        let target = target_of(&inner);
        let into = job(coins(&client(), &["ETH"]), END - DAY, END, &inner);
        for error in [
            status(&target).await.map(drop),
            remove(&target, |_| true).await.map(drop),
            into.plan().await.map(drop),
            into.run(|_| {}, std::future::pending()).await.map(drop),
        ] {
            let data = dir.path().join("data");
            let expected = format!("{}: part of the data set {}; name that", inner.display(), data.display());
            assert_eq!(error.unwrap_err().to_string(), expected);
        }
    }
    assert_eq!(all_files(&path), before);
    // The parent folder of a file is no target either.
    for (parent, name) in [("parent", "one.parquet"), ("the second", "two.csv")] {
        let (folder, file) = (dir.path().join(parent), dir.path().join(parent).join(name));
        fs::create_dir(&folder).unwrap();
        run(&job(coins(&client(), &["BTC"]), END - DAY, END, &file)).await;
        let error = status(&Target::Folder(folder)).await.unwrap_err().to_string();
        assert!(error.ends_with(&format!("not a data set; name a file in it, such as {}", quoted(&file))), "{error}");
    }
    // The first run of another endpoint was cancelled, so its folder does not exist yet.
    fs::create_dir_all(path.join(".backfill/orderflow.volume_delta-1h")).unwrap();
    let early = path.join("orderflow.volume_delta/new.csv");
    let error = job(coins(&client(), &["ETH"]), END - DAY, END, &early).plan().await.unwrap_err();
    assert!(error.to_string().contains("part of the data set"), "{error}");
    // Beside the folders of the endpoints, and on a way through one, a file is another target.
    for name in ["data/beside.csv", "data/orderflow.volume_ratio/../../outside.parquet"] {
        assert_eq!(run(&job(coins(&client(), &["BTC"]), END - DAY, END, &dir.path().join(name))).await.records, 24);
    }
}

/// File managers and network file systems add hidden files to folders.
#[tokio::test(start_paused = true)]
async fn hidden_files_of_other_programs_are_ignored() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let until = |end: i64| job(coins(&client(), &["BTC"]), END - 30 * DAY, end, &path);
        run(&until(END)).await;
        run_cancelled(&until(END + DAY)).await;
        for folder in ["out.csv.parts", "out.parquet.parts", "data", "data/.backfill", "data/orderflow.volume_ratio"] {
            let folder = dir.path().join(folder);
            if folder.exists() {
                fs::write(folder.join(".DS_Store"), "folder").unwrap();
            }
        }
        assert_eq!(state_of(&path).await.damaged, [""; 0], "{name}");
        assert!(run(&until(END + 2 * DAY)).await.is_complete, "{name}");
        assert_eq!((read(&path).len(), state_of(&path).await.damaged), (32 * 24, Vec::new()), "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_parquet_file_of_another_program_is_no_data_set() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("orderflow.volume_ratio")).unwrap();
    for name in ["copy", "1h-2024"] {
        let file = dir.path().join(format!("orderflow.volume_ratio/{name}.parquet"));
        fs::write(&file, "PAR1").unwrap();
        let whole = job(coins(&client(), &["BTC"]), END - DAY, END, dir.path());
        let error = whole.plan().await.unwrap_err().to_string();
        assert!(
            error.contains(&format!("{name}.parquet: no backfill of this version has written it; move it")),
            "{error}"
        );
        fs::remove_file(file).unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_data_file_that_another_program_has_changed_is_damage() {
    let dir = tempfile::tempdir().unwrap();
    let whole = job(coins(&client(), &["BTC"]), END - DAY, END, dir.path());
    run(&whole).await;
    let file = dir.path().join(files(dir.path()).remove(0));
    let rows = ParquetRecordBatchReaderBuilder::try_new(File::open(&file).unwrap()).unwrap().build().unwrap();
    let rows = rows.map(Result::unwrap).next().unwrap();
    let schema = Arc::new(Schema::new(rows.schema().fields().clone()));
    let rows = RecordBatch::try_new(schema.clone(), rows.columns().to_vec()).unwrap();
    let write = |state: Option<&str>| {
        let entry = |state: &str| KeyValue::new("backfill".to_owned(), state.to_owned());
        let properties = WriterProperties::builder().set_key_value_metadata(state.map(|state| vec![entry(state)]));
        let file = File::create(&file).unwrap();
        let mut writer = ArrowWriter::try_new(file, schema.clone(), Some(properties.build())).unwrap();
        writer.write(&rows).unwrap();
        writer.close().unwrap();
    };
    write(Some(r#"{"version":3}"#));
    let error = whole.plan().await.unwrap_err().to_string();
    assert!(error.contains("an older version wrote it") && error.contains("; to rebuild, move it away"), "{error}");
    write(None);
    let state = state_of(dir.path()).await;
    let [damage] = &state.damaged[..] else { panic!("{state:?}") };
    assert!(damage.contains("another program has changed it since the last run"), "{damage}");
    assert_eq!((state.series[0].rows, whole.plan().await.unwrap().damaged), (24, vec![damage.clone()]));
    assert_eq!((run(&whole).await.records, state_of(dir.path()).await.damaged), (24, Vec::new()));
}
