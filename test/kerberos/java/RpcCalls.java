import java.security.PrivilegedExceptionAction;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.v2.api.HSClientProtocol;
import org.apache.hadoop.mapreduce.v2.api.protocolrecords.GetJobReportRequest;
import org.apache.hadoop.mapreduce.v2.util.MRBuilderUtils;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.client.ClientRMProxy;
import org.apache.hadoop.yarn.client.api.AHSClient;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.client.cli.RMAdminCLI;
import org.apache.hadoop.yarn.ipc.YarnRPC;
import org.apache.hadoop.yarn.util.ConverterUtils;
import org.apache.hadoop.yarn.util.Records;

/** Calls over Hadoop RPC as whoever has the tickets of KRB5CCNAME: `RpcCalls CONFIGURATION PROTECTION STEP...`; a line for each step. */
public class RpcCalls {
  static Configuration conf;

  public static void main(String[] words) throws Exception {
    conf = new Configuration();
    conf.addResource(new Path(words[0]));
    conf.set("hadoop.rpc.protection", words[1]);
    UserGroupInformation.setConfiguration(conf);
    for (int at = 2; at < words.length; at++) {
      String outcome;
      try {
        outcome = step(words[at]);
      } catch (Throwable problem) {
        while (problem.getCause() != null) problem = problem.getCause();
        outcome = problem.getClass().getName() + ": " + String.valueOf(problem.getMessage()).split("\n")[0];
      }
      System.out.println(words[at] + " -> " + outcome);
    }
    System.exit(0);
  }

  static String step(String step) throws Exception {
    if (step.equals("nodes")) return "nodes " + nodes();
    if (step.startsWith("as ")) {
      UserGroupInformation other = UserGroupInformation.createProxyUser(step.substring(3), UserGroupInformation.getLoginUser());
      return "nodes " + other.doAs((PrivilegedExceptionAction<Integer>) RpcCalls::nodes);
    }
    if (step.equals("token")) return token();
    if (step.equals("history")) return history();
    if (step.equals("applications")) return applications();
    int status = new RMAdminCLI(conf).run(step.split(" "));
    return "status " + status;
  }

  static int nodes() throws Exception {
    YarnClient client = client();
    try {
      return client.getNodeReports().size();
    } finally {
      client.stop();
    }
  }

  static YarnClient client() {
    YarnClient client = YarnClient.createYarnClient();
    client.init(conf);
    client.start();
    return client;
  }

  /** Gets a delegation token and uses it as somebody who has nothing else. */
  static String token() throws Exception {
    YarnClient client = client();
    Token<?> token =
        ConverterUtils.convertFromYarn(client.getRMDelegationToken(new Text("ann")), ClientRMProxy.getRMDelegationTokenService(conf));
    client.stop();
    UserGroupInformation bearer = UserGroupInformation.createRemoteUser("bearer");
    bearer.addToken(token);
    int nodes = bearer.doAs((PrivilegedExceptionAction<Integer>) RpcCalls::nodes);
    boolean isRenewed = token.renew(conf) > 0;
    token.cancel(conf);
    return "nodes " + nodes + ", renewed " + isRenewed;
  }

  /** Asks the timeline for the applications that it knows. */
  static String applications() throws Exception {
    AHSClient client = AHSClient.createAHSClient();
    client.init(conf);
    client.start();
    try {
      return "applications " + client.getApplications().size();
    } finally {
      client.stop();
    }
  }

  /** Asks the history server for a job that there is not. */
  static String history() throws Exception {
    HSClientProtocol server =
        (HSClientProtocol) YarnRPC.create(conf).getProxy(HSClientProtocol.class, NetUtils.createSocketAddr(conf.get("mapreduce.jobhistory.address")), conf);
    GetJobReportRequest request = Records.newRecord(GetJobReportRequest.class);
    request.setJobId(MRBuilderUtils.newJobId(ApplicationId.newInstance(1, 1), 1));
    return server.getJobReport(request).getJobReport() == null ? "no report" : "a report";
  }
}
