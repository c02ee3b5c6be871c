package org.stillwater.fake.world;

import java.util.Map;
import java.util.stream.Collectors;

/** Values as Python's {@code repr} writes them: errors of VDSM show their context so (§2.1). */
final class PythonText {

    private PythonText() {}

    /** A string in quotes: double ones if it has single ones only. */
    static String string(String value) {
        String escaped = value.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r");
        if (escaped.contains("'") && !escaped.contains("\"")) {
            return '"' + escaped + '"';
        }
        return '\'' + escaped.replace("'", "\\'") + '\'';
    }

    /** A dictionary of strings, in the order of the map. */
    static String dictionary(Map<String, String> members) {
        return members.entrySet().stream()
                .map(member -> string(member.getKey()) + ": " + string(member.getValue()))
                .collect(Collectors.joining(", ", "{", "}"));
    }
}
