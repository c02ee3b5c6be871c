package org.stillwater.vdsm.client;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.analysis.NumaStatistics;
import org.stillwater.core.host.HostNumaNode;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.vdsm.jsonrpc.Lenient;
import org.stillwater.vdsm.wire.NumaField;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * Decodes a host's NUMA members, of capabilities and of statistics (protocol page §3.4, §3.5). Each
 * method takes the parser on the first token of its member, and the reader of the whole answer: its
 * bounds hold for all nodes together. A member of the wrong kind, or a node without a number as its
 * name, counts as not reported.
 */
final class NumaDecoder {
    /** In bytes it fits a {@code long}. */
    private static final long MOST_MEBIBYTES = 1L << 42;

    /** Above what a processor can use, and small enough for a sum of all. */
    private static final double MOST_PERCENT = 1e6;

    private NumaDecoder() {}

    /** {@code numaNodes}: the nodes by number, without distances. */
    static List<HostNumaNode> nodes(JsonParser p, HostReader reader) {
        Map<Integer, HostNumaNode> nodes = new TreeMap<>();
        eachNumbered(reader, index -> nodes.put(index, node(index, p, reader)));
        return List.copyOf(nodes.values());
    }

    private static HostNumaNode node(int index, JsonParser p, HostReader reader) {
        Long memory = null;
        List<Integer> cpus = List.of();
        Map<Integer, Long> pages = Map.of();
        if (p.currentToken() != JsonToken.START_OBJECT) {
            p.skipChildren();
            return new HostNumaNode(index, null, cpus, List.of(), pages);
        }
        while (p.nextToken() == JsonToken.PROPERTY_NAME) {
            String member = p.currentName();
            p.nextToken();
            switch (member) {
                case NumaField.TOTAL_MEMORY -> memory = reader.whole(0, MOST_MEBIBYTES);
                case NumaField.CPUS -> cpus = reader.integers();
                case NumaField.HUGEPAGES -> pages = pages(p, reader, NumaField.TOTAL_PAGES);
                default -> p.skipChildren();
            }
        }
        return new HostNumaNode(index, memory, cpus, List.of(), pages);
    }

    /** {@code numaNodeDistance}: distances by node. */
    static Map<Integer, List<Integer>> distances(HostReader reader) {
        Map<Integer, List<Integer>> distances = new HashMap<>();
        eachNumbered(reader, index -> distances.put(index, reader.integers()));
        return distances;
    }

    /** {@code numaNodeMemFree}. */
    static void memory(JsonParser p, HostReader reader, NumaStatistics numa) {
        eachNumbered(
                reader,
                index -> {
                    if (p.currentToken() != JsonToken.START_OBJECT) {
                        p.skipChildren();
                        return;
                    }
                    Long free = null;
                    Integer used = null;
                    Map<Integer, Long> pages = Map.of();
                    while (p.nextToken() == JsonToken.PROPERTY_NAME) {
                        String member = p.currentName();
                        p.nextToken();
                        switch (member) {
                            case NumaField.MEM_FREE -> free = reader.whole(0, MOST_MEBIBYTES);
                            case NumaField.MEM_PERCENT -> used = percent(reader.whole(0, 100));
                            case NumaField.HUGEPAGES ->
                                    pages = pages(p, reader, NumaField.FREE_PAGES);
                            default -> p.skipChildren();
                        }
                    }
                    numa.memory(index, free, used, pages);
                });
    }

    /**
     * {@code cpuStatistics}: one entry for each processor, with the node of the mean that it
     * contributes to.
     */
    static List<HostStatistics.Core> processors(
            JsonParser p, HostReader reader, NumaStatistics numa) {
        Map<Integer, HostStatistics.Core> cores = new TreeMap<>();
        eachNumbered(
                reader,
                cpu -> {
                    if (p.currentToken() != JsonToken.START_OBJECT) {
                        p.skipChildren();
                        return;
                    }
                    long node = -1;
                    double user = Double.NaN;
                    double system = Double.NaN;
                    double idle = Double.NaN;
                    while (p.nextToken() == JsonToken.PROPERTY_NAME) {
                        String member = p.currentName();
                        p.nextToken();
                        switch (member) {
                            case NumaField.NODE_INDEX -> node = Lenient.longOf(p, -1);
                            case NumaField.CPU_USER ->
                                    user = percent(reader.number(0, MOST_PERCENT));
                            case NumaField.CPU_SYS ->
                                    system = percent(reader.number(0, MOST_PERCENT));
                            case NumaField.CPU_IDLE ->
                                    idle = percent(reader.number(0, MOST_PERCENT));
                            default -> p.skipChildren();
                        }
                    }
                    if (node >= 0 && node <= Integer.MAX_VALUE) {
                        numa.processor((int) node, user, system, idle);
                    }
                    cores.put(
                            cpu,
                            new HostStatistics.Core(
                                    cpu,
                                    Math.clamp(node, -1, Integer.MAX_VALUE),
                                    known(user),
                                    known(system),
                                    known(idle)));
                });
        return List.copyOf(cores.values());
    }

    private static @Nullable Integer percent(@Nullable Long whole) {
        return whole == null ? null : (Integer) whole.intValue();
    }

    private static double percent(@Nullable Double number) {
        return number == null ? Double.NaN : number;
    }

    private static @Nullable Double known(double number) {
        return Double.isNaN(number) ? null : (Double) number;
    }

    /** A number of pages by page size in KiB. */
    private static Map<Integer, Long> pages(JsonParser p, HostReader reader, String count) {
        Map<Integer, Long> pages = new TreeMap<>();
        eachNumbered(
                reader,
                size -> {
                    if (p.currentToken() != JsonToken.START_OBJECT) {
                        p.skipChildren();
                        return;
                    }
                    while (p.nextToken() == JsonToken.PROPERTY_NAME) {
                        boolean wanted = p.currentName().equals(count);
                        p.nextToken();
                        if (!wanted) {
                            p.skipChildren();
                            continue;
                        }
                        Long pagesOfSize = reader.count();
                        if (pagesOfSize != null) {
                            pages.put(size, pagesOfSize);
                        }
                    }
                });
        return pages;
    }

    /** Calls the reader on each member with a number as its name. */
    private static void eachNumbered(HostReader reader, Numbered each) {
        reader.members(name -> {
            int index = Lists.index(name);
            if (index < 0) {
                reader.skip();
            } else {
                each.read(index);
            }
        });
    }

    /** Reads the value of one numbered member, or skips it. */
    @FunctionalInterface
    private interface Numbered {
        void read(int index);
    }
}
