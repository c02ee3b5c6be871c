package org.stillwater.relay.vm;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.VmNumaNode;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.VmJobReport;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.report.VmSample;
import org.stillwater.core.vm.FieldType;
import org.stillwater.core.vm.GuestNics;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.relay.state.Cells;
import org.stillwater.relay.state.Value;

/**
 * Converts a VM's report to the cells of a record. Values equal to "not reported" have no cell: a
 * field at its default, a missing number.
 */
public final class VmCells {

    private static final RuntimeField[] FIELDS = RuntimeField.values();

    private VmCells() {}

    /**
     * The cells of a VM after a report.
     *
     * @param report the host's report; {@link VmReport.Absent} has no cells
     * @param sample the statistics of a poll; null for an event, which does not change the
     *     statistics
     * @param before the earlier cells of the VM
     */
    public static Cells of(VmReport report, @Nullable VmSample sample, Cells before) {
        return switch (report) {
            case VmReport.Running running -> running(running, sample, before);
            case VmReport.Exited exited -> {
                Cells.Draft draft =
                        new Cells.Draft()
                                .whole(CellKey.KIND, CellKey.EXITED)
                                .whole(CellKey.STAMP, exited.hostStampMillis())
                                .flag(CellKey.POLLED, sample != null || before.is(CellKey.POLLED));
                put(draft, RuntimeField.EXIT_STATUS, exited.status());
                put(draft, RuntimeField.EXIT_REASON, exited.reason());
                put(draft, RuntimeField.EXIT_MESSAGE, exited.message());
                yield draft.build();
            }
            case VmReport.Absent _ -> Cells.NONE;
        };
    }

    private static Cells running(
            VmReport.Running running, @Nullable VmSample sample, Cells before) {
        Cells.Draft draft = new Cells.Draft();
        boolean polled = sample != null;
        if (!polled && before.whole(CellKey.KIND, 0) == CellKey.RUNNING) {
            for (int i = 0; i < before.size(); i++) {
                if (!CellKey.isRuntime(before.key(i))) {
                    draft.put(before.key(i), before.value(i));
                }
            }
        }
        draft.whole(CellKey.KIND, CellKey.RUNNING)
                .whole(CellKey.STAMP, running.hostStampMillis())
                .flag(CellKey.POLLED, polled || before.is(CellKey.POLLED))
                .text(CellKey.NAME, running.name())
                .text(CellKey.DEVICE_HASH, running.deviceHash())
                .text(CellKey.TPM_HASH, running.tpmHash())
                .text(CellKey.NVRAM_HASH, running.nvramHash());
        VmRuntime runtime = running.runtime();
        for (RuntimeField field : FIELDS) {
            put(draft, field, runtime.value(field));
        }
        if (sample != null) {
            SampleCells.write(sample, before, draft);
        }
        return draft.build();
    }

    private static void put(Cells.Draft draft, RuntimeField field, @Nullable Object value) {
        Object unreported = field.defaultValue();
        if (value == null ? unreported == null : value.equals(unreported)) {
            return;
        }
        int key = CellKey.of(field);
        if (value instanceof GuestNics nics) {
            draft.whole(key, nics.digest()).text(CellKey.GUEST_NIC_LIST, Packed.nics(nics.nics()));
            return;
        }
        switch (field.type().toSql(value)) {
            case String text -> draft.text(key, text);
            case Number number -> draft.whole(key, number.longValue());
            case Boolean truth -> draft.flag(key, truth);
            case null -> draft.whole(key, 0); // a text that is shorter than its default
            default -> throw new IllegalStateException(field + " has no form as a cell");
        }
    }

    /**
     * Sets the runtime values of these cells in a draft that starts from the receiver's runtime.
     *
     * @throws IllegalArgumentException if a cell does not have its field's form
     */
    static void readRuntime(Cells cells, VmRuntime.Draft draft) {
        for (int i = 0; i < cells.size() && cells.key(i) <= CellKey.LAST_RUNTIME; i++) {
            RuntimeField field = CellKey.field(cells.key(i));
            if (field != null) {
                draft.set(field, read(field, cells.value(i), cells, draft));
            }
        }
    }

    private static @Nullable Object read(
            RuntimeField field, Value value, Cells cells, VmRuntime.Draft draft) {
        return switch (value) {
            case Value.Text text when field.type() == FieldType.TEXT -> limited(field, text, draft);
            case Value.Whole(long number) ->
                    switch (field.type()) {
                        case TEXT -> null;
                        case BOOLEAN -> number == 1;
                        case GUEST_NICS -> nics(number, cells, draft);
                        case INTEGER,
                                LONG,
                                VM_STATUS,
                                PAUSE_STATUS,
                                EXIT_STATUS,
                                EXIT_REASON,
                                GUEST_SESSION ->
                                field.type().fromSql(number);
                    };
            case Value.Text _, Value.Decimal _ ->
                    throw new IllegalArgumentException(field + " is not of its form");
        };
    }

    private static String limited(RuntimeField field, Value.Text text, VmRuntime.Draft draft) {
        if (text.value().length() > field.mostCharacters()) {
            throw new IllegalArgumentException(field + " is longer than it may be");
        }
        if (draft.originValue(field) instanceof String known) {
            text.share(known); // the relay's state and the VM share one instance
        }
        return text.value();
    }

    private static GuestNics nics(long digest, Cells cells, VmRuntime.Draft draft) {
        if (draft.originValue(RuntimeField.GUEST_NICS) instanceof GuestNics known
                && known.digest() == digest) {
            return known;
        }
        String packed = cells.text(CellKey.GUEST_NIC_LIST);
        return new GuestNics(digest, packed == null ? List.of() : Packed.nics(packed));
    }

    /** The host's stamp of a VM's cells. */
    public static long stampMillis(Cells cells) {
        return cells.whole(CellKey.STAMP, VmReport.NO_STAMP);
    }

    /** Whether a complete poll has contained the VM, so that a missing cell was not reported. */
    static boolean isPolled(Cells cells) {
        return cells.is(CellKey.POLLED);
    }

    /** Whether the cells belong to a VM after the end of its process. */
    static boolean isExited(Cells cells) {
        return cells.whole(CellKey.KIND, 0) == CellKey.EXITED;
    }

    /**
     * The report of these cells.
     *
     * @param known the receiver's runtime, from which the draft started; null for none
     */
    @SuppressWarnings("ReferenceEquality") // the same cells gave the same instance
    static VmReport report(VmId id, Cells cells, VmRuntime.Draft draft, @Nullable VmRuntime known) {
        if (isExited(cells)) {
            readRuntime(cells, draft);
            VmRuntime runtime = draft.set(RuntimeField.STATUS, VmStatus.DOWN).build();
            String message = runtime.exitMessage();
            return new VmReport.Exited(
                    id,
                    stampMillis(cells),
                    runtime.exitStatus(),
                    runtime.exitReason(),
                    message == null ? "" : message);
        }
        VmRuntime runtime;
        if (known != null && known == cells.memo().made()) {
            runtime = known;
        } else {
            readRuntime(cells, draft);
            runtime = draft.build();
            cells.memo().made(runtime);
        }
        return new VmReport.Running(
                id,
                stampMillis(cells),
                cells.text(CellKey.NAME),
                runtime,
                cells.text(CellKey.DEVICE_HASH),
                cells.text(CellKey.TPM_HASH),
                cells.text(CellKey.NVRAM_HASH));
    }

    static @Nullable List<VmJobReport> jobs(Cells cells) {
        String packed = cells.text(CellKey.JOBS);
        return packed == null ? null : Packed.jobs(packed);
    }

    static @Nullable List<VmNumaNode> numa(Cells cells) {
        String packed = cells.text(CellKey.NUMA);
        return packed == null ? null : Packed.numa(packed);
    }
}
