//! Choices that have a name in a model file.

/// All choices, the name of each, and its text.
macro_rules! named {
    ($choice:ident: $($variant:ident = $name:literal),+) => {
        impl $choice {
            /// All of them.
            pub const ALL: [$choice; [$($name),+].len()] = [$($choice::$variant),+];

            /// Its name in a model file.
            pub fn name(self) -> &'static str {
                match self {
                    $($choice::$variant => $name),+
                }
            }
        }

        impl std::fmt::Display for $choice {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

/// The choice of a name; the message is for a text that is none.
macro_rules! read_by_name {
    ($choice:ident: $message:literal) => {
        impl $choice {
            fn unknown(text: &str) -> String {
                format!($message, text)
            }
        }

        impl std::str::FromStr for $choice {
            type Err = UnknownSetting;

            fn from_str(text: &str) -> Result<$choice, UnknownSetting> {
                let found = $choice::ALL.into_iter().find(|choice| choice.name() == text);
                found.ok_or_else(|| UnknownSetting { message: $choice::unknown(text) })
            }
        }
    };
}

pub(crate) use {named, read_by_name};
