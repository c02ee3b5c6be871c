package org.stillwater.fake.xapi.net;

import org.stillwater.fake.xapi.codec.Numbers;
import org.stillwater.fake.xapi.codec.WireBuffer;
import org.stillwater.fake.xapi.world.Metrics.Updates;
import org.stillwater.fake.xapi.world.Metrics.Values;

/** The notations of {@code rrd_updates}. Source: rrd_updates.ml at three commits. */
final class RrdWriter {

    private RrdWriter() {}

    static WireBuffer xml(Updates updates) {
        WireBuffer out = new WireBuffer();
        out.put("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<xport><meta>");
        element(out, "start", updates.start());
        element(out, "step", updates.step());
        element(out, "end", updates.end());
        element(out, "rows", updates.rows().size());
        element(out, "columns", updates.legend().size());
        out.put("<legend>");
        updates.legend().forEach(each -> out.put("<entry>").put(each).put("</entry>"));
        out.put("</legend></meta>");
        out.put(updates.rows().isEmpty() ? "<data/>" : "<data>");
        for (Values row : updates.rows()) {
            out.put("<row>");
            element(out, "t", row.time());
            for (double value : row.values()) {
                out.put("<v>").put(Numbers.rrd(value)).put("</v>");
            }
            out.put("</row>");
        }
        return out.put(updates.rows().isEmpty() ? "</xport>" : "</data></xport>");
    }

    private static void element(WireBuffer out, String name, long value) {
        out.put("<" + name + ">").put(Long.toString(value)).put("</" + name + ">");
    }

    /**
     * JSON in which every scalar is a string.
     *
     * @param nested whether the rows stand inside {@code meta}
     */
    static WireBuffer json(Updates updates, boolean nested) {
        return text(updates, "\"", "\"", nested);
    }

    /** Nearly JSON: names without quotes, bare numbers, a blank after {@code meta}. */
    static WireBuffer legacy(Updates updates) {
        return text(updates, "", "", true);
    }

    private static WireBuffer text(Updates updates, String name, String scalar, boolean nested) {
        WireBuffer out = new WireBuffer();
        out.put("{" + name + "meta" + name + (name.isEmpty() ? ": " : ":") + "{");
        member(out, name, scalar, "start", updates.start());
        member(out, name, scalar, "step", updates.step());
        member(out, name, scalar, "end", updates.end());
        member(out, name, scalar, "rows", updates.rows().size());
        member(out, name, scalar, "columns", updates.legend().size());
        out.put(name + "legend" + name + ":[");
        String comma = "";
        for (String each : updates.legend()) {
            out.put(comma).put("\"").put(each).put("\"");
            comma = ",";
        }
        out.put(nested && !name.isEmpty() ? "]," : "]},");
        out.put(name + "data" + name + ":[");
        comma = "";
        for (Values row : updates.rows()) {
            out.put(comma).put("{");
            member(out, name, scalar, "t", row.time());
            out.put(name + "values" + name + ":[");
            String between = "";
            for (double value : row.values()) {
                out.put(between).put(scalar).put(Numbers.rrd(value)).put(scalar);
                between = ",";
            }
            out.put("]}");
            comma = ",";
        }
        return out.put(nested && !name.isEmpty() ? "]}}" : "]}");
    }

    private static void member(WireBuffer out, String name, String scalar, String key, long value) {
        out.put(name + key + name + ":" + scalar + value + scalar + ",");
    }
}
