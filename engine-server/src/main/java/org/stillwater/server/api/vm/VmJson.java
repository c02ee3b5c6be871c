package org.stillwater.server.api.vm;

import java.util.List;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.host.Hypervisor;
import org.stillwater.core.id.VmId;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.monitoring.feed.Delta;
import org.stillwater.monitoring.host.ContestedVm;
import org.stillwater.monitoring.vm.VmState;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.server.api.host.HostJson;
import org.stillwater.server.api.web.Json;
import tools.jackson.core.JsonGenerator;

/**
 * A VM as JSON: one flat object of its definition, its placement and every field of {@link
 * RuntimeField}. The light form has only the members that a list on a screen shows.
 */
public final class VmJson {

    /** The extent of an answer about a VM. */
    public enum Form {
        FULL,
        LIGHT
    }

    private VmJson() {}

    /** All that is known, the hosts that claim the VM included. */
    static void writeFull(
            JsonGenerator json,
            VmView vm,
            List<String> tags,
            List<ContestedVm> claims,
            Hypervisor hypervisor) {
        json.writeStartObject();
        members(json, vm.id(), vm.definition(), vm.state(), Form.FULL);
        json.writeStringProperty("hypervisor", hypervisor.label());
        tags(json, tags);
        json.writeArrayPropertyStart("claims");
        for (ContestedVm claim : claims) {
            json.writeStartObject();
            json.writeStringProperty("hostId", claim.claimant().toString());
            HostJson.claim(json, claim);
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    /** A VM in the stream; the light form has no tags. */
    public static void write(
            JsonGenerator json,
            VmId id,
            VmStatic definition,
            VmState state,
            List<String> tags,
            Form form) {
        json.writeStartObject();
        members(json, id, definition, state, form);
        if (form == Form.FULL) {
            tags(json, tags);
        }
        json.writeEndObject();
    }

    /** The tags of a VM, with its id and stamps. */
    public static void writeTags(JsonGenerator json, VmId id, VmState state, List<String> tags) {
        json.writeStartObject();
        json.writeStringProperty("id", id.toString());
        tags(json, tags);
        stamps(json, state);
        json.writeEndObject();
    }

    private static void tags(JsonGenerator json, List<String> tags) {
        json.writeArrayPropertyStart(VmTable.TAGS);
        tags.forEach(json::writeString);
        json.writeEndArray();
    }

    private static void members(
            JsonGenerator json, VmId id, VmStatic definition, VmState state, Form form) {
        json.writeStringProperty("id", id.toString());
        definition(json, definition, form);
        if (form == Form.FULL) {
            placement(json, state.placement());
            Json.runtime(json, state.runtime());
        } else {
            Json.text(json, "hostId", state.placement().runOn());
            Json.field(json, state.runtime(), RuntimeField.STATUS);
            Json.field(json, state.runtime(), RuntimeField.GUEST_IPS);
        }
        stamps(json, state);
    }

    /** The members that a change touched, with the VM's id and stamps. */
    public static void writeChanged(JsonGenerator json, Delta.VmChanged change, Form form) {
        VmState state = change.state();
        json.writeStartObject();
        json.writeStringProperty("id", change.vmId().toString());
        if (form == Form.FULL) {
            if (change.placementChanged()) {
                placement(json, state.placement());
            }
            change.changed().forEach(field -> Json.field(json, state.runtime(), field));
        } else {
            Json.text(json, "hostId", state.placement().runOn());
            Json.field(json, state.runtime(), RuntimeField.STATUS);
            Json.field(json, state.runtime(), RuntimeField.GUEST_IPS);
        }
        stamps(json, state);
        json.writeEndObject();
    }

    /** Whether a change touches a member of the light form. */
    public static boolean showsInLightForm(Delta.VmChanged change) {
        return change.placementChanged()
                || change.changed().contains(RuntimeField.STATUS)
                || change.changed().contains(RuntimeField.GUEST_IPS);
    }

    /** Whether the light form contains a field. */
    public static boolean showsInLightForm(RuntimeField field) {
        return field == RuntimeField.STATUS || field == RuntimeField.GUEST_IPS;
    }

    private static void definition(JsonGenerator json, VmStatic vm, Form form) {
        json.writeStringProperty("name", vm.name());
        if (form == Form.FULL) {
            json.writeStringProperty("origin", Json.word(vm.origin()));
            json.writeStringProperty("clusterId", vm.cluster().toString());
            json.writeBooleanProperty("highlyAvailable", vm.highlyAvailable());
            json.writeNumberProperty("memoryMebibytes", vm.memoryMebibytes());
            json.writeNumberProperty("guaranteedMemoryMebibytes", vm.guaranteedMemoryMebibytes());
            json.writeNumberProperty("cpus", vm.cpus());
            json.writeNumberProperty("sockets", vm.sockets());
            json.writeNumberProperty("coresPerSocket", vm.coresPerSocket());
            json.writeNumberProperty("threadsPerCore", vm.threadsPerCore());
        }
    }

    private static void placement(JsonGenerator json, VmPlacement placement) {
        Json.text(json, "hostId", placement.runOn());
        Json.text(json, "migratingToHostId", placement.migratingTo());
        Json.text(json, "lastStartAt", placement.lastStart());
        Json.text(json, "lastStopAt", placement.lastStop());
    }

    private static void stamps(JsonGenerator json, VmState state) {
        Json.text(json, "observedAt", state.observedAt());
        json.writeNumberProperty("revision", state.revision());
    }
}
