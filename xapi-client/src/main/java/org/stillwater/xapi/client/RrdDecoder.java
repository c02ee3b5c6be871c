package org.stillwater.xapi.client;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.stillwater.xapi.client.RrdUpdates.Row;

/**
 * Reads {@code rrd_updates} in its four notations: XML, text that is nearly JSON (before 2023),
 * JSON with the rows inside {@code meta}, and JSON with the rows beside it. Columns are kept by the
 * hash of their legend, which seldom changes. Not thread-safe: one for each host.
 */
final class RrdDecoder {

    /** Legends of a host that come and go; each takes some hundred kilobytes. */
    private static final int KEPT_LEGENDS = 4;

    private final Map<Long, List<RrdColumn>> legends =
            new LinkedHashMap<>(8, 0.75f, true) {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<Long, List<RrdColumn>> eldest) {
                    return size() > KEPT_LEGENDS;
                }
            };

    private long step;
    private long end;
    private List<RrdColumn> columns = List.of();
    private List<Row> rows = List.of();
    private char[] legend = new char[1 << 12];
    private int[] ends = new int[64];

    RrdUpdates decode(InputStream in) throws IOException {
        step = 0;
        end = 0;
        columns = List.of();
        rows = new ArrayList<>();
        BufferedInputStream body = new BufferedInputStream(in);
        body.mark(1);
        int first = body.read();
        body.reset();
        if (first == '<') {
            xml(body);
        } else {
            json(body);
        }
        return new RrdUpdates(step, end, columns, List.copyOf(rows));
    }

    private void json(InputStream body) throws IOException {
        try (JsonSource json = JsonSource.of(body)) {
            json.beginObject();
            for (String name = json.nextName(); name != null; name = json.nextName()) {
                switch (name) {
                    case "meta" -> meta(json);
                    case "data" -> rows(json);
                    default -> json.skip();
                }
            }
        }
    }

    private void meta(JsonSource json) throws IOException {
        json.beginObject();
        for (String name = json.nextName(); name != null; name = json.nextName()) {
            switch (name) {
                case "step" -> step = Source.parseNumber(json.text());
                case "end" -> end = Source.parseNumber(json.text());
                case "legend" -> legend(json);
                case "data" -> rows(json);
                default -> json.skip();
            }
        }
    }

    private void legend(JsonSource json) throws IOException {
        int count = 0;
        int[] used = {0};
        long[] hash = {1};
        json.beginArray();
        while (json.nextElement()) {
            json.characters((characters, offset, length) -> {
                if (used[0] + length > legend.length) {
                    legend = Arrays.copyOf(legend, Math.max(2 * legend.length, used[0] + length));
                }
                System.arraycopy(characters, offset, legend, used[0], length);
                for (int i = offset; i < offset + length; i++) {
                    hash[0] = 1_000_003 * hash[0] + characters[i];
                }
                hash[0] = 1_000_003 * hash[0] + '\n';
                used[0] += length;
            });
            if (count == ends.length) {
                ends = Arrays.copyOf(ends, 2 * count);
            }
            ends[count++] = used[0];
        }
        columns = columns(hash[0], count);
    }

    private List<RrdColumn> columns(long hash, int count) throws XapiException.Protocol {
        List<RrdColumn> known = legends.get(hash);
        if (known != null && known.size() == count) {
            return known;
        }
        List<RrdColumn> parsed = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            int from = i == 0 ? 0 : ends[i - 1];
            parsed.add(RrdColumn.parse(new String(legend, from, ends[i] - from)));
        }
        List<RrdColumn> kept = List.copyOf(parsed);
        legends.put(hash, kept);
        return kept;
    }

    private void rows(JsonSource json) throws IOException {
        json.beginArray();
        while (json.nextElement()) {
            long time = 0;
            double[] values = new double[columns.size()];
            int count = 0;
            json.beginObject();
            for (String name = json.nextName(); name != null; name = json.nextName()) {
                switch (name) {
                    case "t" -> time = Source.parseNumber(json.text());
                    case "values" -> {
                        json.beginArray();
                        while (json.nextElement()) {
                            values[check(count++)] = json.real();
                        }
                    }
                    default -> json.skip();
                }
            }
            add(time, values, count);
        }
    }

    private int check(int place) throws XapiException.Protocol {
        if (place >= columns.size()) {
            throw new XapiException.Protocol("a row is longer than the legend", null);
        }
        return place;
    }

    private void add(long time, double[] values, int count) throws XapiException.Protocol {
        if (count != columns.size()) {
            throw new XapiException.Protocol("a row is shorter than the legend", null);
        }
        for (int i = 0; i < count; i++) {
            values[i] *= columns.get(i).factor();
        }
        rows.add(new Row(time, values));
    }

    private void xml(InputStream body) throws IOException {
        try (XmlSource xml = XmlSource.document(body)) {
            xml.open("xport");
            xml.open("meta");
            List<RrdColumn> read = new ArrayList<>();
            while (xml.opens()) {
                switch (xml.name()) {
                    case "step" -> step = Source.parseNumber(xml.rest());
                    case "end" -> end = Source.parseNumber(xml.rest());
                    case "legend" -> {
                        while (xml.opens()) {
                            read.add(RrdColumn.parse(xml.rest()));
                        }
                    }
                    default -> xml.skip();
                }
            }
            columns = List.copyOf(read);
            xml.open("data");
            while (xml.opens()) {
                xml.open("t");
                long time = Source.parseNumber(xml.rest());
                double[] values = new double[columns.size()];
                int count = 0;
                while (xml.opens()) {
                    values[check(count++)] = Source.parseReal(xml.rest());
                }
                add(time, values, count);
            }
        }
    }
}
