package org.stillwater.server.tls;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.stillwater.server.settings.TlsSettings;

class TlsPortTest {

    @ParameterizedTest
    @CsvSource({
        "true, , , 8443",
        "false, , , 8080",
        "true, 8444, , 8444",
        "false, , 8081, 8081",
        "false, 8444, , 8080",
    })
    void thePortIsTheLaunchersByDefault(
            boolean tls, @Nullable Integer secure, @Nullable Integer plain, int port) {
        StandardEnvironment environment = new StandardEnvironment();
        Map<String, Object> said = new HashMap<>();
        if (secure != null) {
            said.put("stillwater.launcher.secure-port", secure.toString());
        }
        if (plain != null) {
            said.put("stillwater.launcher.plain-port", plain.toString());
        }
        environment.getPropertySources().addFirst(new MapPropertySource("launcher", said));
        TomcatServletWebServerFactory factory = new TomcatServletWebServerFactory();
        new TlsPort(settings(tls), environment).customize(factory);
        assertThat(factory.getPort()).isEqualTo(port);

        said.put("server.port", "9000");
        factory.setPort(9000); // as Spring Boot does
        new TlsPort(settings(tls), environment).customize(factory);
        assertThat(factory.getPort()).isEqualTo(9000);
    }

    private static TlsSettings settings(boolean enabled) {
        return new Binder(
                        new MapConfigurationPropertySource(
                                Map.of("stillwater.tls.enabled", Boolean.toString(enabled))))
                .bind("stillwater.tls", TlsSettings.class)
                .get();
    }
}
