package org.stillwater.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads one JSON value (RFC 8259) of a text. Used once. */
final class JsonParser {

    /** No answer of the engine is nested more deeply; a deeper text is refused. */
    private static final int DEEPEST = 64;

    private final String text;
    private int at;
    private int depth;

    JsonParser(String text) {
        this.text = text;
    }

    Json whole() {
        Json value = value();
        blanks();
        if (at < text.length()) {
            throw wrong("more than one value");
        }
        return value;
    }

    private Json value() {
        blanks();
        if (at >= text.length()) {
            throw wrong("no end");
        }
        char c = text.charAt(at);
        return switch (c) {
            case '{' -> object();
            case '[' -> array();
            case '"' -> new Json.Text(string());
            case 't' -> word("true", new Json.Bool(true));
            case 'f' -> word("false", new Json.Bool(false));
            case 'n' -> word("null", Json.Null.NULL);
            default -> number();
        };
    }

    private Json object() {
        deeper();
        Map<String, Json> members = new LinkedHashMap<>();
        at++;
        blanks();
        if (peek() == '}') {
            at++;
        } else {
            while (true) {
                blanks();
                if (peek() != '"') {
                    throw wrong("a member without a name");
                }
                String name = string();
                blanks();
                expect(':');
                members.put(name, value());
                blanks();
                if (peek() != ',') {
                    break;
                }
                at++;
            }
            expect('}');
        }
        depth--;
        return new Json.Obj(members);
    }

    private Json array() {
        deeper();
        List<Json> items = new ArrayList<>();
        at++;
        blanks();
        if (peek() == ']') {
            at++;
        } else {
            while (true) {
                items.add(value());
                blanks();
                if (peek() != ',') {
                    break;
                }
                at++;
            }
            expect(']');
        }
        depth--;
        return new Json.Array(items);
    }

    private void deeper() {
        if (++depth > DEEPEST) {
            throw wrong("more than " + DEEPEST + " levels");
        }
    }

    private String string() {
        int from = ++at;
        while (at < text.length() && text.charAt(at) != '"' && text.charAt(at) != '\\') {
            at++;
        }
        if (peek() == '"') {
            return text.substring(from, at++);
        }
        StringBuilder value = new StringBuilder(text.substring(from, at));
        while (true) {
            char c = next();
            if (c == '"') {
                return value.toString();
            }
            value.append(c == '\\' ? escaped() : c);
        }
    }

    private char escaped() {
        char c = next();
        return switch (c) {
            case '"', '\\', '/' -> c;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> {
                int code = 0;
                for (int i = 0; i < 4; i++) {
                    int digit = Character.digit(next(), 16);
                    if (digit < 0) {
                        throw wrong("an escape without four digits");
                    }
                    code = code * 16 + digit;
                }
                yield (char) code;
            }
            default -> throw wrong("an unknown escape");
        };
    }

    private Json number() {
        int from = at;
        while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        String written = text.substring(from, at);
        try {
            if (!written.isEmpty() && Double.isFinite(Double.parseDouble(written))) {
                return new Json.Num(written);
            }
        } catch (NumberFormatException _) {
            // refused below
        }
        throw wrong("neither a value nor a number");
    }

    private Json word(String word, Json value) {
        if (!text.startsWith(word, at)) {
            throw wrong("an unknown word");
        }
        at += word.length();
        return value;
    }

    private void blanks() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private char peek() {
        return at < text.length() ? text.charAt(at) : '\0';
    }

    private char next() {
        if (at >= text.length()) {
            throw wrong("no end");
        }
        return text.charAt(at++);
    }

    private void expect(char c) {
        if (peek() != c) {
            throw wrong("no " + c);
        }
        at++;
    }

    private Trouble wrong(String what) {
        return new Trouble(
                Exit.NO_ANSWER,
                "the answer is no JSON: it has "
                        + what
                        + " at character "
                        + at
                        + "; is this the address of a Stillwater engine?");
    }
}
