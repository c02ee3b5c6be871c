package org.stillwater.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.bootstrap.DefaultBootstrapContext;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.core.env.SimpleCommandLinePropertySource;
import org.springframework.core.env.StandardEnvironment;

class UnknownSettingsTest {

    private final UnknownSettings settings = new UnknownSettings();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "stillwater.cycle.interval",
                "stillwater.dataFolder",
                "stillwater.hosts[0].name",
                "stillwater.security.oidc.roles.vm-admins",
                "stillwater.otlp.headers.X-Credential",
                "server.port",
                "STILLWATER_HOME"
            })
    void everySettingIsKnown(String name) {
        assertThat(settings.known(name)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "stillwater.cycle.intervall",
                "stillwater.bogus",
                "stillwater.cycle.interval.x"
            })
    void aMisspeltSettingRefusesTheStart(String name) {
        assertThatThrownBy(() -> begin("--" + name + "=1"))
                .isInstanceOf(StartRefused.class)
                .hasMessageContaining(name);
        assertThatCode(() -> begin("--stillwater.cycle.interval=5s")).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "stillwater.cycle.interval=5s",
                "-Dstillwater.cycle.interval=5s",
                "-stillwater.cycle.interval=5s"
            })
    void anArgumentThatIsNoOptionRefusesTheStart(String argument) {
        String shown = argument.replace("=5s", "=…");
        assertThatThrownBy(() -> begin(argument))
                .isInstanceOf(StartRefused.class)
                .hasMessageContaining("The argument " + shown + " is no option.");
    }

    private void begin(String option) {
        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().addFirst(new SimpleCommandLinePropertySource(option));
        settings.onApplicationEvent(
                new ApplicationEnvironmentPreparedEvent(
                        new DefaultBootstrapContext(),
                        new SpringApplication(),
                        new String[] {option},
                        environment));
    }
}
