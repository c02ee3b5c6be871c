package org.stillwater.vdsm.client.recording;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.stream.Collectors;
import org.stillwater.core.report.HostField;

/**
 * The words of the protocol, which a recording keeps: members and values of {@code words.txt}, one
 * a line, and the members of {@link HostField}.
 */
final class ProtocolVocabulary {

    private static final Set<String> KNOWN = words();

    /** Members with texts about software and hardware, on which the engine decides. */
    private static final Set<String> KEPT =
            Set.of(
                    "additionalFeatures",
                    "clusterLevels",
                    "cpuFlags",
                    "cpuModel",
                    "cpuType",
                    "dateTime",
                    "domain_versions",
                    "emulatedMachine",
                    "emulatedMachines",
                    "kernelFeatures",
                    "method",
                    "operatingSystem",
                    "packages2",
                    "rngSources",
                    "software_revision",
                    "software_version",
                    "supportedENGINEs",
                    "supported_block_size",
                    "version_name",
                    "vmTypes");

    /** Members with names, serial numbers or texts of guests, in any form. */
    private static final Set<String> SAID =
            Set.of(
                    "ISCSIInitiatorName",
                    "InitiatorName",
                    "appsList",
                    "codename",
                    "description",
                    "distribution",
                    "exitMessage",
                    "guestFQDN",
                    "guestName",
                    "guestOs",
                    "kernel",
                    "lunGUID",
                    "message",
                    "name",
                    "names",
                    "path",
                    "systemSerialNumber",
                    "username",
                    "vmName",
                    "wwnn",
                    "wwpn",
                    "zone");

    private ProtocolVocabulary() {}

    private static Set<String> words() {
        try (InputStream in = ProtocolVocabulary.class.getResourceAsStream("words.txt")) {
            if (in == null) {
                throw new IllegalStateException("words.txt is missing");
            }
            Set<String> words =
                    new String(in.readAllBytes(), StandardCharsets.UTF_8)
                            .lines()
                            .filter(line -> !line.isBlank() && !line.startsWith("#"))
                            .collect(Collectors.toSet());
            for (HostField field : HostField.values()) {
                words.addAll(Set.of(field.wire().split("\\.", 2)));
            }
            return Set.copyOf(words);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether the text is a word of the protocol. */
    static boolean isKnown(String text) {
        return KNOWN.contains(text);
    }

    /** Whether texts below this member are kept. */
    static boolean isKept(String member) {
        return KEPT.contains(member);
    }

    /**
     * Whether texts of this member are replaced even if they look like numbers or words of the
     * protocol.
     */
    static boolean isSaid(String member) {
        return SAID.contains(member);
    }
}
