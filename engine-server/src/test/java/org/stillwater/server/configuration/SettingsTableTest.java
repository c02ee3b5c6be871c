package org.stillwater.server.configuration;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.stillwater.server.configuration.SettingsTable.Setting;

class SettingsTableTest {

    /** Names with such a word that hold nothing secret: switches, numbers, names of files. */
    private static final Set<String> NO_SECRETS =
            Set.of(
                    "stillwater.secrets.key-file",
                    "stillwater.security.credentials-kept",
                    "stillwater.security.initial-password-file",
                    "stillwater.security.sso-password-in-query",
                    "stillwater.wire.tls.key-store",
                    "server.max-http-request-header-size");

    private final SettingsTable table = SettingsTable.own();

    @ParameterizedTest
    @CsvSource({
        "stillwater.cycle.intervall, stillwater.cycle.interval",
        "stillwater.datafolder, stillwater.data-folder",
        "stillwater.wire.tls.trust-stor, stillwater.wire.tls.trust-store",
        "stillwater.hosts-fil, stillwater.hosts-file",
        "stillwater.commands.weighting, stillwater.commands.scheduling.weighting",
        "stillwater.cycle.hosted-engine, stillwater.cycle.hosted-engine-name"
    })
    void theNearestNameIsFound(String unknown, String meant) {
        assertThat(table.nearest(unknown)).isEqualTo(meant);
    }

    @Test
    void noNameIsNearNonsense() {
        assertThat(table.nearest("stillwater.entirely.different.words")).isNull();
        assertThat(table.nearest("stillwater." + "x".repeat(10_000))).isNull();
    }

    @Test
    void everySettingWithASecretIsKnownToBeOne() {
        List<String> open = new ArrayList<>();
        for (Setting each : table.settings()) {
            String name = each.name();
            boolean sounds =
                    name.matches(".*(password|secret|token|credential|headers|passphrase).*")
                            && each.type().matches(".*(String|Map).*");
            if (sounds && !SettingsTable.isSecret(name) && !NO_SECRETS.contains(name)) {
                open.add(name);
            }
        }
        assertThat(open).isEmpty();
        assertThat(NO_SECRETS).noneMatch(SettingsTable::isSecret);
        assertThat(
                        List.of(
                                "spring.datasource.password",
                                "SPRING_DATASOURCE_PASSWORD",
                                "stillwater.security.initialPassword",
                                "stillwater.security.oidc.client-secret",
                                "stillwater.wire.tls.key-store-password",
                                "stillwater.otlp.headers.Authorization",
                                "stillwater.otlp.headers[x]",
                                "STILLWATER_OTLP_HEADERS_AUTHORIZATION",
                                "STILLWATER_OTLPTRACES_HEADERS_X_KEY"))
                .allMatch(SettingsTable::isSecret);
    }

    /** A new setting that names a file must be in one of the two lists. */
    @Test
    void everyFileIsCheckedOrMadeByTheEngine() {
        List<String> files = new ArrayList<>(FileCheck.FILES_TO_READ);
        files.addAll(FileCheck.FILES_TO_WRITE);
        assertThat(files)
                .containsExactlyInAnyOrderElementsOf(
                        table.settings().stream()
                                .filter(each -> each.type().equals("java.nio.file.Path"))
                                .map(Setting::name)
                                .toList());
    }
}
