package org.stillwater.server.programs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.stillwater.dal.embedded.EmbeddedPostgresException;
import org.stillwater.dal.embedded.MajorUpgrade;
import org.stillwater.server.SystemClock;
import org.stillwater.server.configuration.Finding;
import org.stillwater.server.configuration.GivenSettings;
import org.stillwater.server.secrets.SecretKeyFile;
import org.stillwater.server.settings.EmbeddedDatabaseSettings;
import org.stillwater.server.settings.ExternalDatabaseSettings;
import org.stillwater.server.settings.FleetSettings;
import org.stillwater.server.settings.RelaySettings;
import org.stillwater.server.settings.SecretsSettings;
import org.stillwater.server.settings.TlsSettings;
import org.stillwater.server.settings.WireSettings;
import org.stillwater.server.tls.GivenCertificate;
import org.stillwater.server.wiring.DatabaseAddress;
import org.stillwater.server.wiring.HostTlsFiles;
import org.stillwater.server.wiring.HostsFile;
import org.stillwater.server.wiring.StartRefused;

/**
 * Checks the content of the files that a start reads, by the engine's own readers: the hosts' file,
 * certificates, keys, and the version of the embedded database. A value that its record refuses is
 * found elsewhere. Used once, by one thread.
 */
final class StartCheck {

    private static final String HOSTS = "stillwater.hosts-file";

    private final GivenSettings given;
    private final List<Finding> findings = new ArrayList<>();

    private StartCheck(GivenSettings given) {
        this.given = given;
    }

    static List<Finding> of(GivenSettings given) {
        StartCheck check = new StartCheck(given);
        check.hosts();
        for (Runnable each :
                List.<Runnable>of(
                        check::data, check::certificate, check::hostFiles, check::secretKeys)) {
            try {
                each.run();
            } catch (BindException _) {
                // the value is a finding already
            }
        }
        return check.findings;
    }

    private void hosts() {
        String hosts = given.value(HOSTS);
        if (hosts != null && !hosts.isBlank() && Files.isReadable(Path.of(hosts))) {
            try {
                int _ = HostsFile.hosts(fleet()).size();
            } catch (StartRefused e) {
                error(e.getMessage() + " " + e.action());
            } catch (BindException _) {
                // the value is a finding already
            }
        }
    }

    private void data() {
        if (given.bind(ExternalDatabaseSettings.class).url() != null) {
            return;
        }
        Path folder =
                DatabaseAddress.embeddedFolder(given.bind(EmbeddedDatabaseSettings.class), fleet());
        try {
            MajorUpgrade.requireReadable(folder);
        } catch (EmbeddedPostgresException e) {
            error(String.valueOf(e.getMessage()));
        } catch (IOException e) {
            error("the version of the data in " + folder + " cannot be read: " + e.getMessage());
        }
    }

    private void certificate() {
        TlsSettings settings = given.bind(TlsSettings.class);
        if (isThere(settings.certificate()) && isThere(settings.key())) {
            GivenCertificate.Outcome outcome =
                    GivenCertificate.check(settings, fleet(), new SystemClock());
            outcome.errors().forEach(this::error);
            outcome.warnings()
                    .forEach(each ->
                            findings.add(new Finding(Finding.Severity.WARNING, null, each)));
        }
    }

    private void hostFiles() {
        WireSettings wire = given.bind(WireSettings.class);
        String refusal = HostTlsFiles.refusal(wire, fleet());
        if (refusal != null) {
            String text = "the key and certificates for hosts cannot be used: " + refusal;
            findings.add(
                    new Finding(
                            wire.tls().hasFiles()
                                    ? Finding.Severity.ERROR
                                    : Finding.Severity.WARNING,
                            null,
                            text));
        }
        String relays = HostTlsFiles.refusal(given.bind(RelaySettings.class), fleet());
        if (relays != null) {
            error("the key and certificates for relays cannot be used: " + relays);
        }
    }

    private void secretKeys() {
        Path file = given.bind(SecretsSettings.class).keyFile();
        if (isThere(file)) {
            try {
                SecretKeyFile.find(file, null, fleet().dataFolder()).check();
            } catch (IOException e) {
                error(String.valueOf(e.getMessage()));
            }
        }
    }

    private FleetSettings fleet() {
        return given.bind(FleetSettings.class);
    }

    /** A missing or unreadable file is found by its setting. */
    private static boolean isThere(@Nullable Path file) {
        return file != null && Files.isReadable(file);
    }

    private void error(String text) {
        findings.add(new Finding(Finding.Severity.ERROR, null, text));
    }
}
