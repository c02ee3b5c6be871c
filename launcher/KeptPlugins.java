import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The class loader of javac's plugins that the launcher gives to Maven. Maven compiles all modules in
 * one process, and javac would load Error Prone and NullAway anew for each of them, so that every
 * compilation would run them cold. This loader keeps the classes of the same jars.
 *
 * <p>javac finds it by its option {@code -XDprocloader}, which the POM sets, and uses its own loader
 * where this class is missing. Any thread may make one.
 */
public final class KeptPlugins extends ClassLoader {

    private static final Map<List<String>, ClassLoader> KEPT = new HashMap<>();

    public KeptPlugins(URL[] jars, ClassLoader parent) {
        super(kept(jars, parent));
    }

    private static ClassLoader kept(URL[] jars, ClassLoader parent) {
        List<String> names = Arrays.stream(jars).map(URL::toString).toList();
        if (!names.stream().allMatch(name -> name.endsWith(".jar"))) {
            return new URLClassLoader(jars, parent); // a folder changes while Maven runs
        }
        synchronized (KEPT) {
            return KEPT.computeIfAbsent(names, _ -> new URLClassLoader(jars, parent));
        }
    }
}
