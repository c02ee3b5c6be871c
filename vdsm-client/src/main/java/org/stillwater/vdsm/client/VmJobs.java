package org.stillwater.vdsm.client;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.ReportedText;
import org.stillwater.core.report.VmJobReport;
import org.stillwater.core.vm.BlockJobType;
import org.stillwater.core.vm.JobType;
import org.stillwater.vdsm.jsonrpc.Lenient;
import org.stillwater.vdsm.wire.JobField;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * Reads {@code vmJobs} (protocol page §3.3.7). If it is absent, null or of another kind, the host
 * does not know yet; {@code {}} stands for no job, and allocates nothing.
 */
final class VmJobs {
    private static final String BLOCK = "block";
    private static final String COMMIT = "commit";
    private static final int LONGEST_WORD = ReportedText.VM_JOBS.mostCharacters();

    private VmJobs() {}

    static void read(VmDecoder d, JsonParser p) {
        if (p.currentToken() != JsonToken.START_OBJECT) {
            p.skipChildren();
            return;
        }
        if (p.nextToken() == JsonToken.END_OBJECT) {
            d.sample.jobs = List.of();
            return;
        }
        List<VmJobReport> jobs = new ArrayList<>();
        for (; p.currentToken() == JsonToken.PROPERTY_NAME; p.nextToken()) {
            UUID id = uuid(p.currentName());
            JsonToken value = p.nextToken();
            if (id == null) {
                p.skipChildren();
            } else if (jobs.size() == ReportedText.VM_JOBS.mostEntries()) {
                p.skipChildren();
                d.altered(ReportedText.VM_JOBS.wire());
            } else if (value == JsonToken.START_OBJECT) {
                jobs.add(job(id, p));
            } else {
                p.skipChildren();
                jobs.add(VmJobReport.unreadable(id));
            }
        }
        d.sample.jobs = jobs;
    }

    private static VmJobReport job(UUID id, JsonParser p) {
        JobType type = null;
        BlockJobType blockType = null;
        Long bandwidth = null;
        Long current = null;
        Long end = null;
        UUID image = null;
        while (p.nextToken() == JsonToken.PROPERTY_NAME) {
            String member = p.currentName();
            if (p.nextToken() == JsonToken.VALUE_NULL) {
                continue;
            }
            switch (member) {
                case JobField.JOB_TYPE ->
                        type =
                                BLOCK.equals(Texts.textOr(p, BLOCK, LONGEST_WORD))
                                        ? JobType.BLOCK
                                        : JobType.UNKNOWN;
                case JobField.BLOCK_JOB_TYPE ->
                        blockType =
                                COMMIT.equals(Texts.textOr(p, COMMIT, LONGEST_WORD))
                                        ? BlockJobType.COMMIT
                                        : BlockJobType.UNKNOWN;
                case JobField.BANDWIDTH -> bandwidth = bytes(p);
                case JobField.CUR -> current = bytes(p);
                case JobField.END -> end = bytes(p);
                case JobField.IMG_UUID -> image = uuid(Texts.textOr(p, null, LONGEST_WORD));
                default -> p.skipChildren();
            }
        }
        return new VmJobReport(id, type, blockType, bandwidth, current, end, image);
    }

    private static @Nullable Long bytes(JsonParser p) {
        long value = Lenient.longOf(p, Long.MIN_VALUE);
        return value < 0 ? null : (Long) value;
    }

    private static @Nullable UUID uuid(@Nullable String text) {
        try {
            return text == null ? null : VmId.parse(text).toUuid();
        } catch (IllegalArgumentException notAUuid) {
            return null;
        }
    }
}
