package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import jdk.management.VirtualThreadSchedulerMXBean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CarrierThreadsTest {

    @ParameterizedTest(name = "{0} processors: {1}")
    @CsvSource({"1, 7", "2, 8", "12, 18", "64, 96"})
    void aMachineHasSomeMoreThanProcessors(int processors, String carriers) {
        Properties system = new Properties();
        CarrierThreads.provide(system, processors);
        assertThat(system).containsExactly(Map.entry(CarrierThreads.PARALLELISM, carriers));
    }

    @Test
    void anOptionOfTheJvmStays() {
        Properties system = new Properties();
        system.setProperty(CarrierThreads.PARALLELISM, "3");
        CarrierThreads.provide(system, 2);
        assertThat(system.getProperty(CarrierThreads.PARALLELISM)).isEqualTo("3");
    }

    @Test
    @Timeout(60) // a JVM that does not end must not stop the build
    void theJvmTakesIt() throws Exception {
        Process program =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Program.class.getName())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        String output = new String(program.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(program.waitFor()).isZero();
        assertThat(output.strip()).isEqualTo("11");
    }

    /** Prints how many virtual threads may compute at the same time. */
    static final class Program {

        private Program() {}

        public static void main(String[] arguments) {
            CarrierThreads.provide(System.getProperties(), 5);
            System.out.println(
                    ManagementFactory.getPlatformMXBean(VirtualThreadSchedulerMXBean.class)
                            .getParallelism());
        }
    }
}
