//! Whether a text is in a language that nothing here was made for.
//!
//! Such a text may resemble one that is known, so what follows from it is never sure.

/// Letters that only these languages have among those with a Latin alphabet.
const LETTERS: &str = "ğışİłąęćżźńśőűřěšžčďťňůăâđơưạảấầẩẫậắằẳẵặẹẻẽềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ";

/// Small words of Italian, Turkish, Polish, Vietnamese, Dutch, Swedish and Indonesian that the known languages lack.
const WORDS: [&str; 88] = [
    "il", "gli", "che", "perché", "perche", "questo", "questa", "questi", "della", "delle",
    "dello", "degli", "nella", "nello", "sono", "anche", "più", "così", "puoi", "voglio", "fammi",
    "aggiungi", "scrivi", "spiegami", "dammi", "funziona", "quando", "cosa", "bir", "bu", "ve",
    "için", "icin", "değil", "neden", "nasıl", "var", "yok", "daha", "şu", "kodu", "lütfen",
    "hata", "jest", "nie", "się", "sie", "czy", "dlaczego", "jak", "tego", "ten", "proszę", "dla",
    "przez", "został", "działa", "mi", "của", "không", "là", "và", "cho", "này", "tôi", "được",
    "những", "viết", "het", "een", "niet", "waarom", "werkt", "deze", "och", "inte", "att", "det",
    "varför", "fungerar", "yang", "tidak", "untuk", "dengan", "kenapa", "ini", "saya", "tolong",
];
/// Words that a known language has too.
const SHARED: [&str; 8] = ["sie", "mi", "var", "sono", "ten", "che", "bu", "det"];

pub(crate) fn is_foreign(text: &str) -> bool {
    let words: Vec<String> = text
        .split(|sign: char| !sign.is_alphabetic())
        .filter(|word| !word.is_empty())
        .take(200)
        .map(str::to_lowercase)
        .collect();
    let own_letters = words
        .iter()
        .filter(|word| word.chars().any(|sign| LETTERS.contains(sign)))
        .count();
    let known = words
        .iter()
        .filter(|word| WORDS.contains(&word.as_str()) && !SHARED.contains(&word.as_str()))
        .count();
    let shared = words
        .iter()
        .filter(|word| SHARED.contains(&word.as_str()))
        .count();
    let sum = 2 * (own_letters + known) + shared;
    // One such word in eight, or two of them in a short text.
    sum >= 2 && sum * 4 >= words.len()
}
