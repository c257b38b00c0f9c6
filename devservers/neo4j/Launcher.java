import java.nio.file.Path;
import org.neo4j.configuration.GraphDatabaseSettings;
import org.neo4j.configuration.connectors.BoltConnector;
import org.neo4j.configuration.helpers.SocketAddress;
import org.neo4j.dbms.api.DatabaseManagementServiceBuilder;
import org.neo4j.io.ByteUnit;

/** Neo4j on a loopback port, with passwords: java -cp 'lib/*' Launcher.java HOME PORT. */
public class Launcher {
    public static void main(String[] arguments) throws InterruptedException {
        var address = new SocketAddress("127.0.0.1", Integer.parseInt(arguments[1]));
        var server = new DatabaseManagementServiceBuilder(Path.of(arguments[0]))
                .setConfig(GraphDatabaseSettings.auth_enabled, true)
                .setConfig(GraphDatabaseSettings.pagecache_memory, ByteUnit.mebiBytes(64))
                .setConfig(BoltConnector.enabled, true)
                .setConfig(BoltConnector.listen_address, address)
                .build();
        Runtime.getRuntime().addShutdownHook(new Thread(server::shutdown));
        Thread.currentThread().join();
    }
}
