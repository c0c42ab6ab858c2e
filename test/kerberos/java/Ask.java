import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URL;
import org.apache.hadoop.security.authentication.client.AuthenticatedURL;

/** Asks each address with Hadoop's own client and prints its status and whose cookie came; the reason where nobody got in. */
public class Ask {
  public static void main(String[] addresses) throws Exception {
    for (String address : addresses) {
      AuthenticatedURL.Token token = new AuthenticatedURL.Token();
      try {
        HttpURLConnection connection = new AuthenticatedURL().openConnection(new URL(address), token);
        int status = connection.getResponseCode();
        try (InputStream body = connection.getInputStream()) {
          body.readAllBytes();
        }
        System.out.println(status + " " + token);
      } catch (Exception refused) {
        System.out.println("refused: " + refused.getClass().getSimpleName());
      }
    }
  }
}
