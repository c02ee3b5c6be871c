package org.stillwater.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.ClassPathResource;
import org.stillwater.server.settings.FleetSettings;

/** The launcher's values where no other source sets one. */
class LauncherDefaultsTest {

    /**
     * The data folder that the engine uses.
     *
     * @param file settings in a file of the user's own
     * @param launcher the launcher's value
     */
    private static Path dataFolder(Map<String, Object> file, Map<String, Object> launcher)
            throws Exception {
        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().addFirst(new MapPropertySource("launcher", launcher));
        environment.getPropertySources().addLast(new MapPropertySource("file", file));
        for (PropertySource<?> own :
                new YamlPropertySourceLoader()
                        .load("application", new ClassPathResource("application.yaml"))) {
            environment.getPropertySources().addLast(own);
        }
        return Binder.get(environment).bind("stillwater", FleetSettings.class).get().dataFolder();
    }

    @Test
    void theLaunchersDataFolderIsADefault() throws Exception {
        Map<String, Object> launcher = Map.of("stillwater.launcher.data-folder", "/launcher");
        assertThat(dataFolder(Map.of(), Map.of())).isEqualTo(Path.of("data"));
        assertThat(dataFolder(Map.of(), launcher)).isEqualTo(Path.of("/launcher"));
        assertThat(dataFolder(Map.of("stillwater.data-folder", "/mine"), launcher))
                .isEqualTo(Path.of("/mine"));
    }
}
