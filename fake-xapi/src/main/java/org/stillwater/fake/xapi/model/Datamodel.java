package org.stillwater.fake.xapi.model;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.stillwater.fake.xapi.model.XClass.XField;
import org.stillwater.fake.xapi.model.XClass.XMessage;
import org.stillwater.fake.xapi.model.XClass.XParameter;

/**
 * All classes of a release in the order of the datamodel. Immutable.
 *
 * @param classes by name
 * @param enums words of each enum by name
 */
public record Datamodel(Map<String, XClass> classes, Map<String, List<String>> enums) {

    /** Roles, the lowest first. */
    public static final List<String> ROLES =
            List.of(
                    "read-only",
                    "vm-operator",
                    "vm-admin",
                    "vm-power-admin",
                    "pool-operator",
                    "pool-admin");

    /** The null reference. */
    public static final String NULL = "OpaqueRef:NULL";

    /** The release: of the year 2024 (the file of the source tree) or 26.17. */
    public enum Release {
        MAY_2024,
        AUGUST_2026
    }

    private static final Map<Release, Datamodel> READ = new java.util.EnumMap<>(Release.class);

    /** The datamodel of a release. */
    public static synchronized Datamodel of(Release release) {
        return READ.computeIfAbsent(release, Datamodel::read);
    }

    private static Datamodel read(Release release) {
        Map<String, XClass> classes = new LinkedHashMap<>();
        Map<String, List<String>> enums = new TreeMap<>();
        try (BufferedReader lines =
                new BufferedReader(
                        new InputStreamReader(
                                Objects.requireNonNull(
                                        Datamodel.class.getResourceAsStream("datamodel.tsv")),
                                StandardCharsets.UTF_8))) {
            String open = "";
            String openFlags = "";
            List<XField> fields = new ArrayList<>();
            Map<String, XMessage> messages = new LinkedHashMap<>();
            boolean skip = false;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] cells = Arrays.copyOf(line.split("\t", -1), 7);
                for (int i = 0; i < cells.length; i++) {
                    cells[i] = Objects.requireNonNullElse(cells[i], "");
                }
                switch (cells[0]) {
                    case "C" -> {
                        close(classes, open, openFlags, fields, messages);
                        fields.clear();
                        messages.clear();
                        skip = isNew(cells[3], release);
                        open = skip ? "" : cells[1];
                        openFlags = cells[2];
                    }
                    case "F" -> {
                        if (!skip && !isNew(cells[5], release)) {
                            XType type =
                                    cells[2].startsWith("<")
                                            ? XType.Scalar.VOID
                                            : XType.parse(cells[2]);
                            fields.add(
                                    new XField(
                                            cells[1],
                                            type,
                                            cells[3].equals("RW"),
                                            initial(type, cells[4])));
                        }
                    }
                    case "M" -> {
                        if (!skip && !isNew(cells[6], release)) {
                            messages.put(cells[1], message(open, cells));
                        }
                    }
                    case "E" -> enums.put(cells[1], List.of(cells[2].split(" ")));
                    default -> {
                        // A comment.
                    }
                }
            }
            close(classes, open, openFlags, fields, messages);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new Datamodel(
                java.util.Collections.unmodifiableMap(classes),
                java.util.Collections.unmodifiableMap(enums));
    }

    private static boolean isNew(String mark, Release release) {
        return release == Release.MAY_2024 && mark.equals("+");
    }

    private static void close(
            Map<String, XClass> classes,
            String name,
            String flags,
            List<XField> fields,
            Map<String, XMessage> messages) {
        if (!name.isEmpty()) {
            classes.put(
                    name,
                    XClass.of(name, flags.contains("g"), flags.contains("d"), fields, messages));
        }
    }

    private static XMessage message(String type, String[] cells) {
        List<XParameter> parameters = new ArrayList<>();
        for (String each : cells[5].isEmpty() ? new String[0] : cells[5].split(";")) {
            int colon = each.indexOf(':');
            boolean optional = each.charAt(colon - 1) == '?';
            parameters.add(
                    new XParameter(
                            each.substring(0, optional ? colon - 1 : colon),
                            XType.parse(each.substring(colon + 1)),
                            optional));
        }
        String flags = cells[4];
        return new XMessage(
                type,
                cells[1],
                cells[2].startsWith("<") ? XType.Scalar.VOID : XType.parse(cells[2]),
                cells[3],
                flags.contains("a"),
                flags.contains("i"),
                !flags.contains("n"),
                List.copyOf(parameters));
    }

    /** The initial value of a field; {@code printed} as the datamodel prints it. */
    private static Object initial(XType type, String printed) {
        return switch (type) {
            case XType.Scalar scalar ->
                    switch (scalar) {
                        case STRING ->
                                printed.startsWith("\"")
                                        ? printed.substring(1, printed.length() - 1)
                                        : "";
                        case INT -> printed.isEmpty() ? 0L : Long.parseLong(printed);
                        case FLOAT -> printed.isEmpty() ? 0.0 : Double.parseDouble(printed);
                        case BOOL -> printed.equals("true");
                        case DATETIME -> XType.DateTime.NEVER;
                        case VOID -> "";
                    };
            case XType.EnumOf _ -> printed;
            case XType.RefTo _ -> printed.equals("Null") ? "" : NULL;
            case XType.SetOf _ -> printed.equals("{0}") ? List.of(0L) : List.of();
            case XType.MapOf _ -> map(printed);
            case XType.RecordOf _ -> Map.of();
            case XType.OptionOf _ -> "";
        };
    }

    /** {@code {"address" -> "localhost", "port" -> "27000"}}. */
    private static Map<String, Object> map(String printed) {
        Map<String, Object> map = new LinkedHashMap<>();
        String inner = printed.length() < 2 ? "" : printed.substring(1, printed.length() - 1);
        for (String pair : inner.isEmpty() ? new String[0] : inner.split(", ")) {
            String[] sides = pair.replace("\"", "").split(" -> ");
            map.put(sides[0], sides[1]);
        }
        return java.util.Collections.unmodifiableMap(map);
    }

    /** The class of that name. */
    public XClass type(String name) {
        XClass found = classes.get(name);
        if (found == null) {
            throw new IllegalArgumentException("no class " + name);
        }
        return found;
    }

    /** The first word of an enum: the initial value of a field without a default. */
    public String firstWord(String enumName) {
        List<String> words = enums.get(enumName);
        return words == null ? "" : words.getFirst();
    }
}
