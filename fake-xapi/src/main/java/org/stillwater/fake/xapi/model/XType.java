package org.stillwater.fake.xapi.model;

/**
 * A type of the datamodel. Values of it are Java objects: {@code String} for strings, enums and
 * references, {@code Long} for int, {@code Double}, {@code Boolean}, {@link DateTime}, {@code List}
 * for sets, and {@code Map} with string keys for maps and records.
 */
public sealed interface XType {

    /** Types without parts. */
    enum Scalar implements XType {
        STRING,
        INT,
        FLOAT,
        BOOL,
        DATETIME,
        VOID
    }

    /** One of a closed list of words. */
    record EnumOf(String name) implements XType {}

    /** A handle of an object. */
    record RefTo(String type) implements XType {}

    /** A set, in wire order. */
    record SetOf(XType element) implements XType {}

    /** A map; its keys are strings on the wire. */
    record MapOf(XType key, XType value) implements XType {}

    /** All fields of an object. */
    record RecordOf(String type) implements XType {}

    /** A value that may be left out. */
    record OptionOf(XType value) implements XType {}

    /** A date as the wire has it, for instance {@code 20260821T02:00:23Z}. */
    record DateTime(String text) {
        /** The datamodel's value for "never". */
        public static final DateTime NEVER = new DateTime("19700101T00:00:00Z");
    }

    /** Reads a type as the datamodel prints it, for instance {@code (VM ref -> string) map}. */
    static XType parse(String text) {
        if (text.endsWith(" option")) {
            return new OptionOf(parse(cut(text, " option")));
        }
        if (text.endsWith(" set")) {
            return new SetOf(parse(cut(text, " set")));
        }
        if (text.startsWith("(") && text.endsWith(") map")) {
            String inner = cut(text.substring(1), ") map");
            int depth = 0;
            for (int i = 0; i < inner.length(); i++) {
                char c = inner.charAt(i);
                depth += c == '(' ? 1 : c == ')' ? -1 : 0;
                if (depth == 0 && inner.startsWith(" -> ", i)) {
                    return new MapOf(parse(inner.substring(0, i)), parse(inner.substring(i + 4)));
                }
            }
            throw new IllegalArgumentException("no map type: " + text);
        }
        if (text.endsWith(" ref")) {
            return new RefTo(cut(text, " ref"));
        }
        if (text.endsWith(" record") || text.equals("an event batch")) {
            return new RecordOf(text.equals("an event batch") ? text : cut(text, " record"));
        }
        if (text.startsWith("enum ")) {
            return new EnumOf(text.substring("enum ".length()));
        }
        return switch (text) {
            case "string" -> Scalar.STRING;
            case "int" -> Scalar.INT;
            case "float" -> Scalar.FLOAT;
            case "bool" -> Scalar.BOOL;
            case "datetime" -> Scalar.DATETIME;
            case "void" -> Scalar.VOID;
            default -> throw new IllegalArgumentException("no type of the datamodel: " + text);
        };
    }

    private static String cut(String text, String end) {
        return text.substring(0, text.length() - end.length());
    }
}
