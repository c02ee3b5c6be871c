package org.stillwater.relay.vm;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.VmNumaNode;
import org.stillwater.core.report.VmJobReport;
import org.stillwater.core.vm.BlockJobType;
import org.stillwater.core.vm.GuestNic;
import org.stillwater.core.vm.JobType;

/**
 * Lists packed in one text: for each entry its length in characters, a colon, and the entry, which
 * may be a packed list itself. Entries may contain any character.
 */
final class Packed {

    private Packed() {}

    static String texts(List<String> texts) {
        StringBuilder packed = new StringBuilder();
        for (String text : texts) {
            packed.append(text.length()).append(':').append(text);
        }
        return packed.toString();
    }

    /**
     * The entries of a packed text.
     *
     * @throws IllegalArgumentException if it is not a packed text
     */
    static List<String> texts(String packed) {
        List<String> texts = new ArrayList<>();
        int at = 0;
        while (at < packed.length()) {
            int colon = packed.indexOf(':', at);
            if (colon < 0 || colon - at > 9) {
                throw new IllegalArgumentException("a packed list without lengths");
            }
            int length = Integer.parseInt(packed, at, colon, 10);
            int end = colon + 1 + length;
            if (length < 0 || end > packed.length()) {
                throw new IllegalArgumentException("a packed list that is cut short");
            }
            texts.add(packed.substring(colon + 1, end));
            at = end;
        }
        return texts;
    }

    private static <T> String list(List<T> entries, Function<T, List<String>> parts) {
        return texts(entries.stream().map(entry -> texts(parts.apply(entry))).toList());
    }

    private static <T> List<T> list(String packed, int parts, Function<List<String>, T> entry) {
        List<T> entries = new ArrayList<>();
        for (String each : texts(packed)) {
            List<String> read = texts(each);
            if (read.size() < parts) {
                throw new IllegalArgumentException("a packed entry that is cut short");
            }
            entries.add(entry.apply(read));
        }
        return entries;
    }

    static String nics(List<GuestNic> nics) {
        return list(
                nics, nic -> List.of(nic.name(), nic.mac(), texts(nic.ipv4()), texts(nic.ipv6())));
    }

    static List<GuestNic> nics(String packed) {
        return list(
                packed,
                4,
                parts ->
                        new GuestNic(
                                parts.get(0),
                                parts.get(1),
                                texts(parts.get(2)),
                                texts(parts.get(3))));
    }

    static String numa(List<VmNumaNode> nodes) {
        return list(
                nodes,
                node ->
                        List.of(
                                Integer.toString(node.index()),
                                texts(node.hostNodes().stream().map(String::valueOf).toList())));
    }

    static List<VmNumaNode> numa(String packed) {
        return list(
                packed,
                2,
                parts ->
                        new VmNumaNode(
                                Integer.parseInt(parts.get(0)),
                                texts(parts.get(1)).stream().map(Integer::valueOf).toList()));
    }

    static String jobs(List<VmJobReport> jobs) {
        return list(
                jobs,
                job -> {
                    JobType type = job.type();
                    BlockJobType block = job.blockType();
                    return List.of(
                            job.id().toString(),
                            type == null ? "" : Integer.toString(type.code()),
                            block == null ? "" : Integer.toString(block.code()),
                            text(job.bandwidthMebibytesPerSecond()),
                            text(job.cursorCurrent()),
                            text(job.cursorEnd()),
                            text(job.imageGroupId()));
                });
    }

    static List<VmJobReport> jobs(String packed) {
        return list(
                packed,
                7,
                parts ->
                        new VmJobReport(
                                UUID.fromString(parts.get(0)),
                                read(parts.get(1), text -> JobType.ofCode(Integer.parseInt(text))),
                                read(
                                        parts.get(2),
                                        text -> BlockJobType.ofCode(Integer.parseInt(text))),
                                read(parts.get(3), Long::valueOf),
                                read(parts.get(4), Long::valueOf),
                                read(parts.get(5), Long::valueOf),
                                read(parts.get(6), UUID::fromString)));
    }

    private static String text(@Nullable Object value) {
        return value == null ? "" : value.toString();
    }

    private static <T> @Nullable T read(String text, Function<String, T> reader) {
        return text.isEmpty() ? null : reader.apply(text);
    }
}
