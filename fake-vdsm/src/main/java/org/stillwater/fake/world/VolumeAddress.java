package org.stillwater.fake.world;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** The address of a volume, VDSM's PDIV. Its ids are texts, because parsing is not needed. */
record VolumeAddress(String pool, String domain, String image, String volume) {

    /** Reads the object that {@code VM.create} takes; missing members become empty texts. */
    static VolumeAddress of(JsonNode node) {
        return new VolumeAddress(
                text(node, "poolID"),
                text(node, "domainID"),
                text(node, "imageID"),
                text(node, "volumeID"));
    }

    private static String text(JsonNode node, String member) {
        JsonNode value = node.get(member);
        return value == null || value.isNull() ? "" : value.asString();
    }

    /** As VDSM shows it in errors. */
    @Override
    public String toString() {
        Map<String, String> members = new LinkedHashMap<>();
        members.put("poolID", pool);
        members.put("domainID", domain);
        members.put("imageID", image);
        members.put("volumeID", volume);
        members.put("device", "disk");
        return PythonText.dictionary(members);
    }

    /**
     * The volumes of a VM that is saved to storage.
     *
     * @param configuration VDSM's data about the VM; a resume does not need it
     */
    record Pair(VolumeAddress memory, VolumeAddress configuration) {

        private static final int FIELDS = 6;

        /**
         * Reads a {@code hibernationVolHandle}: domain, pool, image and volume of the memory, image
         * and volume of the configuration.
         *
         * @throws VerbError if it has another number of fields, in VDSM's words
         */
        static Pair ofHandle(String handle) {
            String[] fields = handle.split(",", -1);
            if (fields.length != FIELDS) {
                throw VdsmError.GENERAL.of(
                        fields.length < FIELDS
                                ? "not enough values to unpack (expected 6, got %d)"
                                        .formatted(fields.length)
                                : "too many values to unpack (expected 6)");
            }
            return new Pair(
                    new VolumeAddress(fields[1], fields[0], fields[2], fields[3]),
                    new VolumeAddress(fields[1], fields[0], fields[4], fields[5]));
        }

        /** The volumes that {@code VM.create} is to restore a VM from; {@code null} for none. */
        static @Nullable Pair ofCreation(JsonNode params) {
            JsonNode handle = params.get("hiberVolHandle");
            if (handle != null && handle.isString() && !handle.asString().isEmpty()) {
                return ofHandle(handle.asString());
            }
            JsonNode memory = params.get("memoryDumpVolume");
            if (memory == null || memory.isNull()) {
                return null;
            }
            JsonNode configuration = params.get("memoryConfVolume");
            if (configuration == null || configuration.isNull()) {
                throw VdsmError.GENERAL.of("'memoryConfVolume'");
            }
            return new Pair(VolumeAddress.of(memory), VolumeAddress.of(configuration));
        }
    }
}
