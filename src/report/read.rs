//! Reports from JSON text.

use serde::Deserialize;
use serde::de::DeserializeOwned;

/// Why a text is not the report that was expected.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("it is not valid JSON: {0}")]
    Json(serde_json::Error),
    #[error("it has the schema {found}, not {expected}: {hint}")]
    Schema {
        found: String,
        expected: &'static str,
        hint: &'static str,
    },
    #[error(
        "it does not have what is needed, at {place}: {error}; regenerate it with this version"
    )]
    Shape {
        /// Path of keys and positions, as `functions[2].nests[0].loops`.
        place: String,
        error: serde_json::Error,
    },
    #[error("the loop {id} is not behind the one around it: it was changed; regenerate it")]
    MisplacedLoop { id: String },
}

#[derive(Deserialize)]
struct Header {
    schema: Option<String>,
}

/// A report of this schema; `hint` says what writes such reports.
///
/// # Errors
/// The text is not JSON, has another schema, or something in it is missing or of another type.
pub fn read<T: DeserializeOwned>(
    text: &str,
    expected: &'static str,
    hint: &'static str,
) -> Result<T, ReadError> {
    let header = serde_json::from_str::<Header>(text);
    let schema = match header {
        Ok(header) => header.schema,
        // Valid JSON that is not an object, or whose schema is not text.
        Err(error) if error.is_data() => None,
        Err(error) => return Err(ReadError::Json(error)),
    };
    if schema.as_deref() != Some(expected) {
        return Err(ReadError::Schema {
            found: schema.unwrap_or_else(|| "(none)".to_string()),
            expected,
            hint,
        });
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    serde_path_to_error::deserialize(&mut reader).map_err(|error| ReadError::Shape {
        place: error.path().to_string(),
        error: error.into_inner(),
    })
}
