package org.stillwater.benchmarks.xapi;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Figures as they are made: each is printed at once. Used by one thread. */
final class Measures {

    private final PrintStream out;
    private final List<Measure> all = new ArrayList<>();
    private boolean begun;

    Measures(PrintStream out) {
        this.out = out;
    }

    /** Prints the progress. */
    void say(String sentence) {
        out.println(sentence);
        out.flush();
    }

    void add(XapiSection section, String what, String unit, double value, @Nullable Double target) {
        add(Measure.of(section, what, unit, value, target));
    }

    void add(Measure measure) {
        if (!begun) {
            begun = true;
            say(Measure.heading());
        }
        all.add(measure);
        say(measure.line());
    }

    List<Measure> all() {
        return List.copyOf(all);
    }

    /** The targets that are missed, and how many there are. */
    String summary() {
        StringBuilder summary = new StringBuilder("\n");
        List<Measure> missed =
                all.stream().filter(each -> Boolean.FALSE.equals(each.reached())).toList();
        if (!missed.isEmpty()) {
            summary.append("Missed:\n");
            missed.forEach(each -> summary.append(each.line()).append('\n'));
        }
        long targets = all.stream().filter(each -> each.target() != null).count();
        summary.append("%d of %d targets missed%n".formatted(missed.size(), targets));
        return summary.toString();
    }

    /** For the file of figures. */
    List<Map<String, Object>> json() {
        return all.stream().map(Measures::json).toList();
    }

    private static Map<String, Object> json(Measure measure) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("section", measure.section().word());
        json.put("what", measure.what());
        json.put("unit", measure.unit());
        json.put("value", measure.value());
        put(json, "target", measure.target());
        put(json, "reached", measure.reached());
        put(json, "xenApi", measure.peer());
        put(json, "ratio", measure.ratio());
        return json;
    }

    private static void put(Map<String, Object> json, String name, @Nullable Object value) {
        if (value != null) {
            json.put(name, value);
        }
    }
}
