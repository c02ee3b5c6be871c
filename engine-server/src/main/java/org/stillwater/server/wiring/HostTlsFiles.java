package org.stillwater.server.wiring;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.stillwater.server.settings.FleetSettings;
import org.stillwater.server.settings.RelaySettings;
import org.stillwater.server.settings.WireSettings;
import org.stillwater.vdsm.client.TlsSettings.KeyMaterial;
import org.stillwater.vdsm.client.VdsmHostConnector;

/** Check of the keys and certificates for hosts and relays before a start. Stateless. */
public final class HostTlsFiles {

    private HostTlsFiles() {}

    /**
     * The fault of the files for hosts. Files in the data folder may be put there later.
     *
     * @return null if they are good, or there are none and the settings name none
     */
    public static @Nullable String refusal(WireSettings settings, FleetSettings fleet) {
        if (!settings.tls().enabled()) {
            return null;
        }
        KeyMaterial files = WireConfiguration.material(settings.tls(), pki(fleet));
        return files instanceof KeyMaterial.Pem pem
                        && !settings.tls().hasFiles()
                        && !Files.exists(pem.key())
                ? null
                : refusal(files);
    }

    /** The fault of the files for relays, null for none; the engine needs them at its start. */
    public static @Nullable String refusal(RelaySettings settings, FleetSettings fleet) {
        return settings.enabled()
                ? refusal(RelayConfiguration.material(settings, pki(fleet)))
                : null;
    }

    private static Path pki(FleetSettings fleet) {
        return fleet.dataFolder().resolve("pki");
    }

    private static @Nullable String refusal(KeyMaterial files) {
        try {
            VdsmHostConnector.checkTlsFiles(files);
            return null;
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        }
    }
}
