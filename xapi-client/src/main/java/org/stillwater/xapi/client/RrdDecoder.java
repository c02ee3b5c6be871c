package org.stillwater.xapi.client;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.stillwater.xapi.client.RrdUpdates.Row;

/**
 * Reads {@code rrd_updates} in its four notations: XML, text that is nearly JSON (before 2023),
 * JSON with the rows inside {@code meta}, and JSON with the rows beside it. Nine tenths of a reply
 * are its legend, which rarely changes: the bytes of a known one are only hashed. Values of columns
 * that are not wanted are passed over. Not thread-safe: one for each host.
 */
final class RrdDecoder {

    /** Legends of a host that come and go; each takes some hundred kilobytes. */
    private static final int KEPT_LEGENDS = 4;

    private static final long PRIME = 0x9E3779B97F4A7C15L;

    /** The end of the year 9999; a later time is none. Seconds since 1970. */
    private static final long LATEST = 253_402_300_799L;

    /**
     * The wanted columns of a legend.
     *
     * @param width columns of the legend
     * @param placesByColumn of each of them among the wanted ones; -1: it is not wanted
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Legend(int width, List<RrdColumn> columns, int[] placesByColumn) {}

    /** Identifies a legend. */
    private record LegendKey(long hash, int length) {}

    private static final Legend NO_LEGEND = new Legend(0, List.of(), new int[0]);

    private final Predicate<RrdColumn> wanted;
    private final CpuTurn turn;

    private final Map<LegendKey, Legend> legends =
            new LinkedHashMap<>(8, 0.75f, true) {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<LegendKey, Legend> eldest) {
                    return size() > KEPT_LEGENDS;
                }
            };

    /** The legend of the last reply with one, which the next reply mostly has as well. */
    private LegendKey lastKey = new LegendKey(0, 0);

    private long step;
    private long end;
    private Legend legend = NO_LEGEND;
    private List<Row> rows = List.of();

    /** Reads all columns. */
    RrdDecoder() {
        this(_ -> true, CpuTurn.FREE);
    }

    /**
     * Reads some columns; the others are left out of replies.
     *
     * @param turn for reading a legend that is new: a pool has as many of them as hosts, all at
     *     once
     */
    RrdDecoder(Predicate<RrdColumn> wanted, CpuTurn turn) {
        this.wanted = wanted;
        this.turn = turn;
    }

    RrdUpdates decode(InputStream in) throws IOException {
        step = 0;
        end = 0;
        legend = NO_LEGEND;
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
        return new RrdUpdates(step, end, legend.columns, List.copyOf(rows));
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
                case "legend" -> {
                    // Its hash shows that it is the last one, so its end need not be searched.
                    Legend same = json.guess(lastKey.length, this::lastLegend);
                    legend = same == null ? json.raw(this::legend) : same;
                }
                case "data" -> rows(json);
                default -> json.skip();
            }
        }
    }

    private @Nullable Legend lastLegend(byte[] bytes, int from, int to) {
        return to > from && hash(bytes, from, to) == lastKey.hash ? legends.get(lastKey) : null;
    }

    private Legend legend(byte[] bytes, int from, int to) throws IOException {
        LegendKey key = new LegendKey(hash(bytes, from, to), to - from);
        lastKey = key;
        Legend known = legends.get(key);
        if (known == null) {
            boolean limited = turn.begin();
            try (JsonSource json = JsonSource.of(bytes, from, to)) {
                known = parsed(Decoder.strings(json));
            } finally {
                if (limited) {
                    turn.end();
                }
            }
            legends.put(key, known);
        }
        return known;
    }

    /** Hashes eight bytes at a time; behind the last one there is room for eight. */
    private static long hash(byte[] bytes, int from, int to) {
        long even = PRIME;
        long odd = ~PRIME;
        int at = from;
        for (; at + 16 <= to; at += 16) { // two sums, which the processor makes side by side
            even = (Long.rotateLeft(even, 29) ^ ShortBytes.eight(bytes, at)) * PRIME;
            odd = (Long.rotateLeft(odd, 31) ^ ShortBytes.eight(bytes, at + 8)) * PRIME;
        }
        for (; at < to; at++) {
            even = (Long.rotateLeft(even, 29) ^ bytes[at]) * PRIME;
        }
        return even ^ Long.rotateLeft(odd, 32);
    }

    private Legend parsed(List<String> entries) throws XapiException.Protocol {
        List<RrdColumn> columns = new ArrayList<>();
        int[] places = new int[entries.size()];
        for (int i = 0; i < places.length; i++) {
            RrdColumn column = RrdColumn.parse(entries.get(i));
            boolean isWanted = wanted.test(column);
            places[i] = isWanted ? columns.size() : -1;
            if (isWanted) {
                columns.add(column);
            }
        }
        return new Legend(places.length, List.copyOf(columns), places);
    }

    private void rows(JsonSource json) throws IOException {
        json.beginArray();
        while (json.nextElement()) {
            long time = 0;
            double[] values = new double[legend.columns.size()];
            int count = 0;
            json.beginObject();
            for (String name = json.nextName(); name != null; name = json.nextName()) {
                switch (name) {
                    case "t" -> time = Source.parseNumber(json.text());
                    case "values" -> {
                        json.beginArray();
                        while (json.nextElement()) {
                            int place = place(count++);
                            if (place < 0) {
                                json.skip();
                            } else {
                                values[place] = json.real();
                            }
                        }
                    }
                    default -> json.skip();
                }
            }
            add(time, values, count);
        }
    }

    private int place(int column) throws XapiException.Protocol {
        if (column >= legend.width) {
            throw new XapiException.Protocol("a row is longer than the legend", null);
        }
        return legend.placesByColumn[column];
    }

    private void add(long time, double[] values, int count) throws XapiException.Protocol {
        if (count != legend.width) {
            throw new XapiException.Protocol("a row is shorter than the legend", null);
        }
        if (time < 0 || time > LATEST) {
            throw new XapiException.Protocol("a row of the time " + time, null);
        }
        for (int i = 0; i < values.length; i++) {
            values[i] *= legend.columns.get(i).factor();
        }
        rows.add(new Row(time, values));
    }

    private void xml(InputStream body) throws IOException {
        try (XmlSource xml = XmlSource.document(body)) {
            xml.open("xport");
            xml.open("meta");
            List<String> entries = new ArrayList<>();
            while (xml.opens()) {
                switch (xml.name()) {
                    case "step" -> step = Source.parseNumber(xml.rest());
                    case "end" -> end = Source.parseNumber(xml.rest());
                    case "legend" -> {
                        while (xml.opens()) {
                            entries.add(xml.rest());
                        }
                    }
                    default -> xml.skip();
                }
            }
            legend = parsed(entries);
            xml.open("data");
            while (xml.opens()) {
                xml.open("t");
                long time = Source.parseNumber(xml.rest());
                double[] values = new double[legend.columns.size()];
                int count = 0;
                while (xml.opens()) {
                    int place = place(count++);
                    if (place < 0) {
                        xml.skip();
                    } else {
                        values[place] = Source.parseReal(xml.rest());
                    }
                }
                add(time, values, count);
            }
        }
    }
}
