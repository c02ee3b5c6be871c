package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
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
        assertThat(system).containsEntry(CarrierThreads.PARALLELISM, carriers);
    }

    @Test
    void anOptionOfTheJvmStays() {
        Properties system = new Properties();
        system.setProperty(CarrierThreads.PARALLELISM, "3");
        system.setProperty(CarrierThreads.POLLERS, "2");
        CarrierThreads.provide(system, 2);
        assertThat(system.getProperty(CarrierThreads.PARALLELISM)).isEqualTo("3");
        assertThat(system.getProperty(CarrierThreads.POLLERS)).isEqualTo("2");
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
        assertThat(output.lines()).containsExactly("11", "woken by platform threads");
    }

    /**
     * Prints how many virtual threads may compute at the same time, and the kind of thread that
     * wakes one of them when an octet arrives. The other kind has a master of its own name.
     */
    static final class Program {

        private Program() {}

        public static void main(String[] arguments) throws Exception {
            CarrierThreads.provide(System.getProperties(), 5);
            System.out.println(
                    ManagementFactory.getPlatformMXBean(VirtualThreadSchedulerMXBean.class)
                            .getParallelism());
            try (ServerSocket host = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                    Socket client = new Socket(host.getInetAddress(), host.getLocalPort());
                    Socket accepted = host.accept()) {
                Thread reader =
                        Thread.ofVirtual()
                                .start(() -> {
                                    try {
                                        int _ = client.getInputStream().read();
                                    } catch (IOException e) {
                                        throw new UncheckedIOException(e);
                                    }
                                });
                while (reader.getState() != Thread.State.WAITING) {
                    Thread.onSpinWait();
                }
                boolean master =
                        Thread.getAllStackTraces().keySet().stream()
                                .anyMatch(thread -> thread.getName().equals("MasterPoller"));
                System.out.println("woken by " + (master ? "virtual" : "platform") + " threads");
                accepted.getOutputStream().write(1);
                reader.join();
            }
        }
    }
}
