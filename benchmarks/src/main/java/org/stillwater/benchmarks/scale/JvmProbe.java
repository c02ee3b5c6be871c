package org.stillwater.benchmarks.scale;

import com.sun.management.ThreadMXBean;
import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.management.MBeanServerConnection;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import jdk.management.jfr.FlightRecorderMXBean;
import jdk.management.jfr.RecordingInfo;

/**
 * Figures that only a JVM knows about itself, read from outside through its management agent. A
 * read costs the JVM a little: read before and after a measurement, not during it.
 */
final class JvmProbe implements AutoCloseable {

    private final JMXConnector connector;
    private final ThreadMXBean threads;
    private final MemoryMXBean memory;

    private final FlightRecorderMXBean recorder;

    private JvmProbe(
            JMXConnector connector,
            ThreadMXBean threads,
            MemoryMXBean memory,
            FlightRecorderMXBean recorder) {
        this.recorder = recorder;
        this.connector = connector;
        this.threads = threads;
        this.memory = memory;
    }

    /** A connection to the management agent of a JVM of this machine. */
    @SuppressWarnings("BanJNDI") // the address comes from our own child process on this machine
    static JMXConnector connect(long pid) throws IOException {
        String address;
        try {
            VirtualMachine machine = VirtualMachine.attach(Long.toString(pid));
            try {
                address = machine.startLocalManagementAgent();
            } finally {
                machine.detach();
            }
        } catch (AttachNotSupportedException e) {
            throw new IOException("cannot attach to process " + pid, e);
        }
        return JMXConnectorFactory.connect(new JMXServiceURL(address));
    }

    static JvmProbe attach(long pid) throws IOException {
        JMXConnector connector = connect(pid);
        MBeanServerConnection server = connector.getMBeanServerConnection();
        return new JvmProbe(
                connector,
                ManagementFactory.newPlatformMXBeanProxy(
                        server, ManagementFactory.THREAD_MXBEAN_NAME, ThreadMXBean.class),
                ManagementFactory.newPlatformMXBeanProxy(
                        server, ManagementFactory.MEMORY_MXBEAN_NAME, MemoryMXBean.class),
                ManagementFactory.newPlatformMXBeanProxy(
                        server, FlightRecorderMXBean.MXBEAN_NAME, FlightRecorderMXBean.class));
    }

    /** Bytes allocated by all threads since the start, ended ones included. */
    long allocatedBytes() {
        return threads.getTotalThreadAllocatedBytes();
    }

    /** Bytes in use after a full collection, which this causes. */
    long liveHeapBytes() {
        memory.gc();
        return memory.getHeapMemoryUsage().getUsed();
    }

    /** Switches the events of the engine's own profile. */
    static final class ProfileSwitch {

        private final FlightRecorderMXBean recorder;
        private final long recording;
        private final Map<String, String> on;
        private final Map<String, String> off;

        private ProfileSwitch(FlightRecorderMXBean recorder, RecordingInfo stream) {
            this.recorder = recorder;
            this.recording = stream.getId();
            this.on = Map.copyOf(stream.getSettings());
            Map<String, String> none = new HashMap<>(on);
            none.replaceAll((name, value) -> name.endsWith("#enabled") ? "false" : value);
            this.off = Map.copyOf(none);
        }

        void set(boolean isOn) {
            recorder.setRecordingSettings(recording, isOn ? on : off);
        }
    }

    /**
     * The switch of the engine's profile.
     *
     * @throws BenchFailure if the engine has none, or another recording runs beside it
     */
    ProfileSwitch profileSwitch() {
        List<RecordingInfo> recordings = recorder.getRecordings();
        if (recordings.size() != 1) {
            throw new BenchFailure(
                    "the engine has "
                            + recordings.size()
                            + " flight recordings instead of its profile's one");
        }
        return new ProfileSwitch(recorder, recordings.getFirst());
    }

    /** Threads that live, those of the JVM itself left out. */
    int threads() {
        return threads.getThreadCount();
    }

    @Override
    public void close() throws IOException {
        connector.close();
    }
}
