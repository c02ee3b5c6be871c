package org.stillwater.server.api.vm;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.id.VmId;
import org.stillwater.monitoring.vm.VmNumbers;
import org.stillwater.server.api.web.JsonText;
import tools.jackson.core.io.SerializedString;

/** The interfaces and disks of a VM with their counters, as arrays of objects. */
public final class VmDeviceJson {

    private static final SerializedString ID = new SerializedString("id");
    private static final SerializedString NAME = new SerializedString("name");
    private static final SerializedString MAC = new SerializedString("mac");
    private static final SerializedString STATUS = new SerializedString("status");
    private static final SerializedString UP = new SerializedString("up");
    private static final SerializedString NONE = new SerializedString("none");
    private static final SerializedString SPEED_MEGABITS_PER_SECOND =
            new SerializedString("speedMegabitsPerSecond");
    private static final SerializedString RECEIVED_BYTES = new SerializedString("receivedBytes");
    private static final SerializedString SENT_BYTES = new SerializedString("sentBytes");
    private static final SerializedString RECEIVE_RATE_PERCENT =
            new SerializedString("receiveRatePercent");
    private static final SerializedString SEND_RATE_PERCENT =
            new SerializedString("sendRatePercent");
    private static final SerializedString RECEIVE_DROPPED = new SerializedString("receiveDropped");
    private static final SerializedString SEND_DROPPED = new SerializedString("sendDropped");
    private static final SerializedString IMAGE_ID = new SerializedString("imageId");
    private static final SerializedString LUN_ID = new SerializedString("lunId");
    private static final SerializedString READ_BYTES_PER_SECOND =
            new SerializedString("readBytesPerSecond");
    private static final SerializedString WRITE_BYTES_PER_SECOND =
            new SerializedString("writeBytesPerSecond");
    private static final SerializedString READ_OPERATIONS = new SerializedString("readOperations");
    private static final SerializedString WRITE_OPERATIONS =
            new SerializedString("writeOperations");
    private static final SerializedString ACTUAL_SIZE_BYTES =
            new SerializedString("actualSizeBytes");
    private static final SerializedString READ_LATENCY_SECONDS =
            new SerializedString("readLatencySeconds");
    private static final SerializedString WRITE_LATENCY_SECONDS =
            new SerializedString("writeLatencySeconds");
    private static final SerializedString FLUSH_LATENCY_SECONDS =
            new SerializedString("flushLatencySeconds");

    private VmDeviceJson() {}

    /** Writes the interfaces that were ever reported. */
    public static void nics(JsonText json, VmNumbers vm) {
        json.startArray();
        for (int i = 0; i < vm.nicCount(); i++) {
            if (vm.isNicKnown(i)) {
                VmNic nic = vm.nicDefinition(i);
                json.startObject();
                json.name(ID);
                json.uuid(nic.id().getMostSignificantBits(), nic.id().getLeastSignificantBits());
                json.name(NAME);
                json.text(nic.name());
                json.name(MAC);
                json.text(nic.mac());
                json.name(STATUS);
                json.text(vm.isNicUp(i) ? UP : NONE);
                json.name(SPEED_MEGABITS_PER_SECOND);
                json.whole(nic.speedMegabitsPerSecond());
                whole(json, RECEIVED_BYTES, vm.receivedBytes(i));
                whole(json, SENT_BYTES, vm.sentBytes(i));
                fraction(json, RECEIVE_RATE_PERCENT, vm.receiveRatePercent(i));
                fraction(json, SEND_RATE_PERCENT, vm.sendRatePercent(i));
                whole(json, RECEIVE_DROPPED, vm.receiveDropped(i));
                whole(json, SEND_DROPPED, vm.sendDropped(i));
                json.endObject();
            }
        }
        json.endArray();
    }

    /** Writes the disks of the newest report. */
    public static void disks(JsonText json, VmNumbers vm) {
        json.startArray();
        for (int i = 0; i < vm.diskCount(); i++) {
            json.startObject();
            json.name(NAME);
            json.text(vm.diskName(i));
            json.name(IMAGE_ID);
            image(json, vm.imageId(i));
            json.name(LUN_ID);
            json.text(vm.lunId(i));
            fraction(json, READ_BYTES_PER_SECOND, vm.readBytesPerSecond(i));
            fraction(json, WRITE_BYTES_PER_SECOND, vm.writeBytesPerSecond(i));
            whole(json, READ_OPERATIONS, vm.readOperations(i));
            whole(json, WRITE_OPERATIONS, vm.writeOperations(i));
            whole(json, ACTUAL_SIZE_BYTES, vm.actualSizeBytes(i));
            fraction(json, READ_LATENCY_SECONDS, vm.readLatencySeconds(i));
            fraction(json, WRITE_LATENCY_SECONDS, vm.writeLatencySeconds(i));
            fraction(json, FLUSH_LATENCY_SECONDS, vm.flushLatencySeconds(i));
            json.endObject();
        }
        json.endArray();
    }

    private static void image(JsonText json, @Nullable VmId image) {
        if (image == null) {
            json.unknown();
        } else {
            json.uuid(image.mostSignificantBits(), image.leastSignificantBits());
        }
    }

    private static void whole(JsonText json, SerializedString name, long value) {
        json.name(name);
        if (value == VmNumbers.UNKNOWN) {
            json.unknown();
        } else {
            json.whole(value);
        }
    }

    private static void fraction(JsonText json, SerializedString name, double value) {
        json.name(name);
        json.fraction(value);
    }
}
